"""A picture as each metric's model takes it in, the references' own way (METRICS, Image metrics): Pillow's bicubic, which is antialiased.

Ranges are types: what wants [-1, 1] cannot be handed [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.images.picture import Picture, Pixels
from engine.keys import sha256

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 224
"""Pixels that CLIP ViT-B/32, DINOv2 and EfficientNet-Lite0 see in each direction."""

LPIPS_SIDE = 256


@dataclass(frozen=True, slots=True, eq=False)
class UnitPixels:
    """(3, height, width) float32 in [0, 1]. Raises ValueError for anything else."""

    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        _check(self.values, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class SignedPixels:
    """(3, height, width) float32 in [-1, 1], black -1 and white 1: what LPIPS compares. Raises ValueError for anything else."""

    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        _check(self.values, -1.0)


@dataclass(frozen=True, slots=True)
class ChannelStatistics:
    """Mean and standard deviation that a model's pixels were standardised with, of values in [0, 1]; RGB. `name` stands in metric ids."""

    name: str
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]


OPENAI = ChannelStatistics("openai", (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
IMAGENET = ChannelStatistics("imagenet", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def cropped(picture: Picture, side: int = SIDE) -> Pixels:
    """(side, side, 3): the shorter side scaled to `side`, bicubic, then the centre. Made once a picture and shared by all models."""
    view = f"crop-{side}"
    if view not in picture.views:
        width, height = picture.size
        short, long = sorted((width, height))
        longer = side * long // short
        scaled = (side, longer) if width <= height else (longer, side)
        left, top = (scaled[0] - side) // 2, (scaled[1] - side) // 2
        picture.views[view] = np.array(_resized(_image(picture.pixels), scaled).crop((left, top, left + side, top + side)))
    return picture.views[view]


def standardised(crops: list[Pixels], statistics: ChannelStatistics) -> NDArray[np.float32]:
    """(n, 3, side, side): crops scaled to [0, 1], less the mean, divided by the deviation, channel by channel."""
    mean, deviation = (np.array(part, np.float32).reshape(3, 1, 1) for part in (statistics.mean, statistics.deviation))
    out = np.empty((len(crops), 3, *crops[0].shape[:2]), np.float32)
    for row, crop in zip(out, crops, strict=True):
        row[:] = (unit_range(crop).values - mean) / deviation
    return out


def unit_range(pixels: Pixels) -> UnitPixels:
    """Pixels from 0 to 255 scaled to [0, 1]."""
    return UnitPixels(np.ascontiguousarray(pixels.transpose(2, 0, 1)) * np.float32(1 / 255))


def signed_range(pixels: UnitPixels) -> SignedPixels:
    """[0, 1] to [-1, 1]."""
    return SignedPixels(pixels.values * np.float32(2) - np.float32(1))


def square(picture: Picture, like: tuple[int, int] | None = None) -> SignedPixels:
    """(3, 256, 256), bicubic and out of proportion, for LPIPS. A prediction is first scaled to the size of its reference, `like`."""
    size = picture.size if like is None else like
    view = f"square-{size[0]}x{size[1]}"
    if view not in picture.views:
        image = _resized(_resized(_image(picture.pixels), size), (LPIPS_SIDE, LPIPS_SIDE))
        picture.views[view] = np.asarray(image)
    return signed_range(unit_range(picture.views[view]))


def grayscale(picture: Picture) -> Picture:
    """The picture without its colours (luma of ITU-R 601), still three channels: the grayscale twin, under a digest of its own."""
    grey = np.asarray(_image(picture.pixels).convert("L"))
    return replace(picture, pixels=np.repeat(grey[..., None], 3, axis=2), sha256=gray_sha256(picture.sha256), views={})


def gray_sha256(digest: str) -> str:
    """What names the grayscale twin of the image that `digest` names."""
    return sha256(f"gray:{digest}".encode())


def _image(pixels: Pixels) -> Image:
    from PIL import Image

    return Image.fromarray(pixels)


def _resized(image: Image, size: tuple[int, int]) -> Image:
    from PIL import Image

    return image if image.size == size else image.resize(size, Image.Resampling.BICUBIC)


def _check(values: NDArray[np.float32], least: float) -> None:
    if values.dtype != np.float32 or values.ndim != 3 or values.shape[0] != 3 or 0 in values.shape:
        raise ValueError(f"pixels are (3, height, width) float32, not {values.shape} {values.dtype}")
    low, high = float(values.min()), float(values.max())
    if not (low >= least and high <= 1.0):
        raise ValueError(f"pixels from {low} to {high} lie outside [{least:g}, 1]")
