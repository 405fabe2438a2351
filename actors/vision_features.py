"""What encoders and quality measures say of images and texts, computed once and kept by the image's digest and the model's id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from actors.bounded_cache import BoundedCache
from engine.images.looking import ImageEncoder, ImageTextEncoder, QualityMeasure
from engine.images.picture import Picture

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Of one image: a vector (d,) by encoder's id, and the figures by measure's id that are numbers."""

    vectors: Mapping[str, Vector]
    quality: Mapping[str, float]


class Features:
    """Encoders and measures with what they said last. `most_bytes` bounds what is kept.

    A model gets the pictures of a call that it has not seen, all in one batch.
    """

    def __init__(self, encoders: Sequence[ImageEncoder], quality: Sequence[QualityMeasure], most_bytes: int) -> None:
        self._encoders, self._quality = encoders, quality
        self._vectors: BoundedCache[tuple[str, str], Vector] = BoundedCache(most_bytes // 2)
        self._figures: BoundedCache[tuple[str, str], float] = BoundedCache(most_bytes // 4)
        self._texts: BoundedCache[tuple[str, str], Vector] = BoundedCache(most_bytes // 4)
        self.embedded = 0
        """Images that passed an encoder, each encoder counted."""

    def known(self, digest: str) -> bool:
        """Whether nothing need be computed of an image."""
        return all((digest, each.id) in self._vectors for each in self._encoders) and all(
            (digest, each.id) in self._figures for each in self._quality
        )

    def of(self, images: Mapping[str, Callable[[], Picture]]) -> dict[str, Seen]:
        """What is seen in images, by digest; a picture is asked for only where something must be computed."""
        vectors: dict[str, dict[str, Vector]] = {digest: {} for digest in images}
        for encoder in self._encoders:
            missing = self._recalled(encoder.id, vectors)
            if not missing:
                continue
            rows = encoder.embed([images[digest]() for digest in missing])
            self.embedded += len(missing)
            for digest, row in zip(missing, rows, strict=True):
                vectors[digest][encoder.id] = row.copy()  # a view would keep the whole batch
                self._vectors.put((digest, encoder.id), vectors[digest][encoder.id], row.nbytes + _ENTRY)
        figures: dict[str, dict[str, float]] = {digest: {} for digest in images}
        for measure in self._quality:
            kept = {digest: figure for digest in images if (figure := self._figures.get((digest, measure.id))) is not None}
            missing = [digest for digest in images if digest not in kept]
            if missing:
                stacked = {each.id: np.stack([vectors[digest][each.id] for digest in missing]) for each in self._encoders}
                for digest, figure in zip(missing, measure.measure([images[digest]() for digest in missing], stacked), strict=True):
                    kept[digest] = float(figure)
                    self._figures.put((digest, measure.id), float(figure), _ENTRY)
            for digest, figure in kept.items():
                figures[digest][measure.id] = figure
        finite = {digest: {name: figure for name, figure in found.items() if np.isfinite(figure)} for digest, found in figures.items()}
        return {digest: Seen(vectors[digest], finite[digest]) for digest in images}

    def of_texts(self, texts: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors (d,) by encoder's id and text, of the encoders that read texts."""
        found: dict[str, dict[str, Vector]] = {}
        for encoder in self._encoders:
            if not _reads_texts(encoder):
                continue
            distinct = dict.fromkeys(texts)
            known = {text: vector for text in distinct if (vector := self._texts.get((text, encoder.id))) is not None}
            missing = [text for text in distinct if text not in known]
            for text, row in zip(missing, encoder.embed_texts(missing) if missing else (), strict=True):
                known[text] = row.copy()
                self._texts.put((text, encoder.id), known[text], row.nbytes + len(text) + _ENTRY)
            found[encoder.id] = known
        return found

    def close(self) -> None:
        """Let go of the encoders and of everything kept."""
        for encoder in self._encoders:
            encoder.close()
        for cache in (self._vectors, self._figures, self._texts):
            cache.clear()

    def _recalled(self, model: str, vectors: dict[str, dict[str, Vector]]) -> list[str]:
        """Puts the vectors that are kept where they belong; returns the digests of the others."""
        for digest, found in vectors.items():
            vector = self._vectors.get((digest, model))
            if vector is not None:
                found[model] = vector
        return [digest for digest, found in vectors.items() if model not in found]


_ENTRY = 400
"""Bytes of a key, of an array's head and of their places in a table."""


def _reads_texts(encoder: ImageEncoder) -> TypeGuard[ImageTextEncoder]:
    return hasattr(encoder, "embed_texts")
