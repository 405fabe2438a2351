"""What is asked of vision models about an image, in one decode: its vectors, those of texts, distances to other images, its quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.images.picture import Picture


@dataclass(frozen=True, slots=True)
class LookRequest:
    """One image by its name in the store, with texts that it is held against and names of images that its distance is measured to.

    `gray` asks for the same of the image without its colours, the grayscale twin (PIPBench's release).
    """

    image: str
    texts: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    gray: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What was seen. `vectors`: by encoder id, (d,) float32 of length 1; `texts`: by encoder id, (texts, d), of encoders that read text;
    `distances`: by id of the perceptual distance, (against,) float32; `quality`: by measure's id; `gray`: the grayscale twin's."""

    sha256: str
    vectors: Mapping[str, NDArray[np.float32]]
    texts: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    distances: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    quality: Mapping[str, float] = field(default_factory=dict)
    gray: Looked | None = None


class ImageEncoder(Protocol):
    """Images to vectors of length 1."""

    id: str
    """Model, revision, preprocessing and precision."""

    def embed(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """(n, d). Each picture's vector is its own, whatever else is in the batch (to 1e-4 in cosine)."""
        ...

    def close(self) -> None: ...


class ImageTextEncoder(ImageEncoder, Protocol):
    """Images and texts to vectors of one space."""

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d)."""
        ...


class QualityMeasure(Protocol):
    """A figure an image has by itself, such as BRISQUE or an aesthetic score."""

    id: str
    higher_is_better: bool

    def measure(self, pictures: Sequence[Picture], vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        """(n,). `vectors`: what the encoders gave for the same pictures, by id, (n, d)."""
        ...
