"""Image metrics: a picture against the short prompt and against reference images, in the spaces of three models (METRICS, Image metrics).

Cosines are averaged, never the vectors: mean of cosines, not cosine to the mean. Lower is better for distances only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.keys import Json, content_key

Vectors: TypeAlias = NDArray[np.float32]

VERSION = "images-1"
"""Raised whenever code changes a figure for the same definition."""


@dataclass(frozen=True, slots=True)
class ImageDefinition:
    """What image figures mean. Two figures are comparable only if the `id` of their definitions is equal.

    Args:
        image_text: id of the encoder of images and texts: CLS-T, CLS-R. CLIP ViT-B/32 in PIPBench.
        self_supervised: id of the encoder of images alone: DIS-R. DINOv2 ViT-S/14 in PIPBench.
        perceptual: id of the perceptual distance: LPIPS-R. VGG in PIPBench.
        quality: ids of the figures that an image has by itself.
        copying: cosine in the self-supervised space from which an image counts as the copy of a reference (*ours*).
    """

    image_text: str
    self_supervised: str
    perceptual: str
    quality: tuple[str, ...]
    copying: float
    version: str = VERSION

    def recipe(self) -> dict[str, Json]:
        """Every choice as JSON, for fingerprints and for the hash in `id`."""
        return {**asdict(self), "quality": list(self.quality)}

    @property
    def id(self) -> str:
        """Version and 12 hex digits of the recipe's content key."""
        return f"{self.version}:{content_key(self.recipe())[:12]}"


def cls_t(image: Vectors, text: Vectors) -> float:
    """CLS-T: 100 max(0, cos) of an image's vector and the short prompt's, both (d,) of length 1."""
    return 100 * max(0.0, _cosine(image, text))


def cls_r(image: Vectors, references: Vectors) -> float:
    """CLS-R: mean over references (n, d) of 100 max(0, cos)."""
    return float(100 * np.maximum(0.0, _cosines(image, references)).mean())


def dis_r(image: Vectors, references: Vectors) -> float:
    """DIS-R: mean over references (n, d) of 100 cos, not clamped."""
    return float(100 * _cosines(image, references).mean())


def nearest(image: Vectors, references: Vectors) -> tuple[int, float]:
    """(index, cosine) of the reference that is most like the image; the first of equals."""
    cosines = _cosines(image, references)
    index = int(cosines.argmax())
    return index, float(cosines[index])


def within(vectors: Vectors) -> float:
    """Diversity: mean cosine distance between the images of one person (n, d); NaN for fewer than two."""
    n = len(vectors)
    if n < 2:
        return float("nan")
    total = vectors.astype(np.float64).sum(axis=0)
    squares = float((vectors.astype(np.float64) ** 2).sum())
    return float(1 - (total @ total - squares) / (n * (n - 1)))


def between(own: Vectors, others: Vectors) -> float:
    """Separation: mean cosine distance between the images of one person (n, d) and those of another (m, d)."""
    return float(1 - own.astype(np.float64).mean(axis=0) @ others.astype(np.float64).mean(axis=0))


def _cosines(image: Vectors, references: Vectors) -> NDArray[np.float64]:
    return np.clip(references.astype(np.float64) @ image.astype(np.float64), -1.0, 1.0)


def _cosine(one: Vectors, other: Vectors) -> float:
    return float(_cosines(one, other[None])[0])
