"""LPIPS between predictions and references as PIPBench's release measures it: features of a reference once, however many are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from actors.bounded_cache import BoundedCache
from actors.lpips import Lpips
from engine.images.picture import Picture
from engine.images.preprocessing import square

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Compared:
    """An image of a comparison: what names it in caches, and its picture when its pixels are needed."""

    digest: str
    picture: Callable[[], Picture]


@dataclass(frozen=True, slots=True, eq=False)
class _Reference:
    """Features, and the size to which a prediction is scaled first."""

    features: torch.Tensor
    size: tuple[int, int]


class LpipsDistances:
    """A perceptual network with the references it met last; `most_bytes` bounds what is kept of them."""

    def __init__(self, model: Lpips, most_bytes: int) -> None:
        self._model = model
        self.id = model.id
        self._kept: BoundedCache[str, _Reference] = BoundedCache(most_bytes)
        self.referenced = 0
        """References whose features were computed."""

    def known(self, digest: str) -> bool:
        """Whether a reference's features are kept."""
        return digest in self._kept

    def measure(self, comparisons: Sequence[tuple[Compared, Sequence[Compared]]]) -> list[NDArray[np.float32]]:
        """For each (prediction, references): the distances (references,) float32."""
        found: list[NDArray[np.float32]] = []
        for start in range(0, len(comparisons), self._model.at_once):
            group = comparisons[start : start + self._model.at_once]
            references = self._references({each.digest: each for _, against in group for each in against})
            # A prediction is another image for each size of reference.
            asked = {(image.digest, references[each.digest].size): image for image, against in group for each in against}
            squares = [square(image.picture(), size) for (_, size), image in asked.items()]
            predictions = dict(zip(asked, self._model.features(squares), strict=True))
            for image, against in group:
                pairs = [(predictions[image.digest, references[each.digest].size], references[each.digest]) for each in against]
                distances = [self._model.distance(prediction, reference.features) for prediction, reference in pairs]
                found.append(np.array(distances, np.float32))
        return found

    def close(self) -> None:
        """Let go of the network and of everything kept."""
        self._model.close()
        self._kept.clear()

    def _references(self, images: dict[str, Compared]) -> dict[str, _Reference]:
        found = {digest: kept for digest in images if (kept := self._kept.get(digest)) is not None}
        missing = [image for digest, image in images.items() if digest not in found]
        pictures = [image.picture() for image in missing]
        features = self._model.features([square(picture) for picture in pictures])
        self.referenced += len(missing)
        for image, picture, each in zip(missing, pictures, features, strict=True):
            found[image.digest] = _Reference(each, picture.size)
            self._kept.put(image.digest, found[image.digest], each.nbytes)
        return found
