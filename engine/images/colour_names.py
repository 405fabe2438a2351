"""Which colours an image has, by name and share, and how light it is: what can be said of pixels without a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.images.picture import Pixels

VERSION = "colour-names-1"

NAMED: tuple[tuple[str, tuple[int, int, int]], ...] = (
    ("black", (15, 15, 15)),
    ("dark grey", (70, 70, 70)),
    ("grey", (128, 128, 128)),
    ("light grey", (200, 200, 200)),
    ("white", (250, 250, 250)),
    ("red", (205, 35, 40)),
    ("dark red", (110, 20, 25)),
    ("orange", (235, 130, 35)),
    ("brown", (115, 75, 45)),
    ("beige", (225, 205, 165)),
    ("yellow", (240, 215, 60)),
    ("olive", (120, 125, 45)),
    ("green", (60, 150, 65)),
    ("dark green", (25, 75, 45)),
    ("teal", (30, 140, 140)),
    ("light blue", (140, 190, 230)),
    ("blue", (50, 95, 200)),
    ("dark blue", (25, 35, 95)),
    ("purple", (120, 60, 150)),
    ("pink", (235, 140, 175)),
)
"""Names and their colours in sRGB (*ours*)."""

LEAST_SHARE = 0.1
DARK, LIGHT = 85, 170
"""Mean luma below and above which an image is called dark or bright."""

PIXELS_AT_MOST = 16_384


@dataclass(frozen=True, slots=True)
class Colouring:
    """`shares`: colours with their shares of the pixels, largest first, those of a tenth or more; `light`: dark, medium or bright."""

    shares: tuple[tuple[str, float], ...]
    light: str


def colouring(pixels: Pixels) -> Colouring:
    """The colours of (h, w, 3) RGB pixels: each pixel is called by the nearest name in CIELAB (D65)."""
    flat = pixels.reshape(-1, 3)
    step = max(1, -(-len(flat) // PIXELS_AT_MOST))
    names = np.array([colour for _, colour in NAMED], np.float64)
    distances = ((_lab(flat[::step].astype(np.float64))[:, None, :] - _lab(names)[None]) ** 2).sum(axis=2)
    counts = np.bincount(distances.argmin(axis=1), minlength=len(NAMED)) / len(flat[::step])
    order = sorted(range(len(NAMED)), key=lambda i: -counts[i])
    luma = float((flat[::step] @ np.array([0.299, 0.587, 0.114])).mean())
    light = "dark" if luma < DARK else "bright" if luma > LIGHT else "medium"
    return Colouring(tuple((NAMED[i][0], float(counts[i])) for i in order if counts[i] >= LEAST_SHARE), light)


def _lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """sRGB 0 to 255 as CIELAB, D65 (IEC 61966-2-1; CIE 15)."""
    unit = rgb / 255
    linear = np.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    xyz = linear @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
