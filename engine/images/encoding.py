"""Pixels to a file's bytes: without loss for the store, small for a report. Equal pixels give equal bytes; a file says nothing else."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.images.picture import Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

Format: TypeAlias = Literal["png", "webp"]
"""Both without loss: what is measured later is what was drawn."""

ENDINGS: Mapping[Format | Literal["thumbnail"], str] = MappingProxyType({"png": "png", "webp": "webp", "thumbnail": "jpeg"})
"""What the names of such files end in."""

THUMBNAIL_PX = 256
"""The longer side of a thumbnail at most."""


def encoded(pixels: Pixels, format: Format) -> bytes:
    """An image file of `pixels`, without loss. Raises ValueError for an array of another shape or type."""
    file = io.BytesIO()
    if format == "png":
        # Of level 0 to 9: as small as the densest, in half its time.
        _image(pixels).save(file, "PNG", compress_level=4)
    else:
        # A tenth larger than the densest, and ten times as fast.
        _image(pixels).save(file, "WEBP", lossless=True, quality=25, method=0)
    return file.getvalue()


def thumbnail(pixels: Pixels) -> bytes:
    """A small JPEG of `pixels`: its longer side has 256 px at most, and a smaller image keeps its size."""
    image = _image(pixels)
    image.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=85)
    return file.getvalue()


def _image(pixels: Pixels) -> Image:
    from PIL import Image

    if pixels.dtype != "uint8" or pixels.ndim != 3 or pixels.shape[2] != 3 or 0 in pixels.shape:
        raise ValueError(f"pixels are (height, width, 3) of uint8, not {pixels.shape} of {pixels.dtype}")
    return Image.fromarray(pixels)
