"""What the images' part of a report is made from: one row an image, one a gallery, and what the figures mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from engine.metrics.images import ImageDefinition

AGAINST = ("cls_t", "cls_r", "dis_r", "lpips_r")
GRAY = tuple(f"gray_{name}" for name in AGAINST)
GAINS = ("gain_cls_r", "gain_dis_r")
"""The figure against the right person's gallery less its mean against strangers'."""

OTHERS = ("nearest", "copies", "kept_dis", "kept_lpips")
LOWER_IS_BETTER = ("lpips_r", "gray_lpips_r", "kept_lpips")

LABEL: Mapping[str, str] = {
    "cls_t": "CLS-T",
    "cls_r": "CLS-R",
    "dis_r": "DIS-R",
    "lpips_r": "LPIPS-R",
    "gray_cls_t": "CLS-T, gray",
    "gray_cls_r": "CLS-R, gray",
    "gray_dis_r": "DIS-R, gray",
    "gray_lpips_r": "LPIPS-R, gray",
    "gain_cls_r": "gain in CLS-R",
    "gain_dis_r": "gain in DIS-R",
    "nearest": "nearest reference",
    "copies": "copies",
    "kept_dis": "DIS to the source",
    "kept_lpips": "LPIPS to the source",
}

MEANING: Mapping[str, str] = {
    "cls_t": "100 x cosine of the image with the query's own short text, not below 0",
    "cls_r": "mean over the person's gallery of 100 x cosine of image and reference, not below 0",
    "dis_r": "the same in the self-supervised space, not clamped",
    "lpips_r": "mean perceptual distance to the person's gallery; lower is nearer",
    "gain_cls_r": "CLS-R less its mean against strangers' galleries: what of it is personal",
    "gain_dis_r": "DIS-R less its mean against strangers' galleries",
    "nearest": "largest cosine with a reference in the self-supervised space",
    "copies": "share of images so near to a reference that they count as its copy",
    "kept_dis": "100 x cosine of an edit with its source in the self-supervised space",
    "kept_lpips": "perceptual distance of an edit to its source; lower keeps more of it",
}


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What was decided before an image was drawn: the definition of the figures, who drew, how many references a person has, and which
    of these models stand in for others; and which figures were measured to tell nothing here, in sentences."""

    definition: ImageDefinition
    renderers: tuple[str, ...]
    gallery: int
    stand_ins: tuple[str, ...] = ()
    no_signal: tuple[str, ...] = ()


def quality_columns(definition: ImageDefinition) -> tuple[str, ...]:
    """The columns of the figures that an image has by itself, in the definition's order."""
    return tuple(f"quality_{number}" for number in range(len(definition.quality)))


def metrics_of(definition: ImageDefinition) -> tuple[str, ...]:
    """Every metric column of `images_schema`; NaN where an image has no such figure."""
    return (*AGAINST, *GRAY, *GAINS, *OTHERS, *quality_columns(definition))


def images_schema(definition: ImageDefinition) -> pa.Schema:
    """One row an image: who and what it is of, how it ended, where it lies, and its figures.

    `object` and `thumbnail` are names in the store, those of an edit's source beside them; null where there is no image.
    """
    keys = ("subject", "person", "cluster", "query", "family", "task", "breadth", "method", "writer", "backbone", "budget", "outcome")
    told = ("renderer", "code", "message", "prompt", "object", "thumbnail", "source_thumbnail")
    return pa.schema(
        [
            *(pa.field(name, pa.string(), nullable=False) for name in keys),
            *(pa.field(name, pa.string()) for name in told),
            pa.field("extractive", pa.bool_(), nullable=False),
            *(pa.field(name, pa.float64()) for name in metrics_of(definition)),
        ]
    )


GALLERIES_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in ("subject", "cluster", "outcome", "renderer")),
        pa.field("thumbnails", pa.list_(pa.string())),
        *(pa.field(name, pa.float64()) for name in ("within", "within_lpips", "between")),
    ]
)
"""One row a person and renderer: their gallery's thumbnails, and how far its images are from each other and from strangers'."""
