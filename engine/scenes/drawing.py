"""Scenes as pixels: a background, one large object in the colours of its palette, and light over both.

Drawn at three times the size and averaged down. Every drawing of a scene differs: place, size, tints and details are drawn from `rng`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.images.picture import Pixels
from engine.scenes.backgrounds import BACKGROUNDS
from engine.scenes.canvas import Canvas, Colour, jitter
from engine.scenes.objects import OBJECTS
from engine.scenes.vocabulary import Scene

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE_PX = 32
"""Width and height of a scene."""

_SCALE = 3
_PALETTES: dict[str, tuple[Colour, Colour]] = {
    "red": ((205, 28, 34), (120, 8, 24)),
    "orange": ((240, 120, 24), (165, 66, 8)),
    "yellow": ((250, 218, 40), (190, 145, 10)),
    "green": ((46, 168, 62), (10, 92, 40)),
    "blue": ((36, 84, 218), (14, 36, 120)),
    "purple": ((160, 56, 190), (86, 20, 116)),
    "white": ((248, 246, 240), (186, 184, 186)),
    "black": ((30, 30, 36), (92, 92, 102)),
}
"""Main colour and shade of each palette."""

_PLACES = {"left": 0.31, "centre": 0.5, "right": 0.69}


def draw_scene(scene: Scene, rng: np.random.Generator, size: int = SIZE_PX) -> Pixels:
    """(size, size, 3) uint8."""
    from PIL import Image, ImageDraw

    big = size * _SCALE
    image = Image.new("RGB", (big, big))
    BACKGROUNDS[scene.background](Canvas(ImageDraw.Draw(image), (0, 0, big, big), rng))
    behind = _lit(_small(image, size), scene.lighting, 1.0)
    mask, drawn = _object(scene, rng, big)
    alpha = _small(mask, size)[..., None] / 255
    front = _lit(_small(drawn, size), scene.lighting, 0.45)
    mixed = behind * (1 - alpha) + front * alpha
    pixels: Pixels = np.clip(mixed, 0, 255).round().astype(np.uint8)
    return pixels


def _object(scene: Scene, rng: np.random.Generator, big: int) -> tuple[Image, Image]:
    """Where the object is (with an outline around it) and its colours."""
    from PIL import Image, ImageChops, ImageDraw, ImageFilter

    main, shade = (jitter(rng, colour, 12) for colour in _PALETTES[scene.palette])
    side = big * rng.uniform(0.58, 0.68)
    x = big * (_PLACES[scene.layout] + rng.uniform(-0.025, 0.025)) - side / 2
    y = big * (0.56 + rng.uniform(-0.03, 0.03)) - side / 2
    colours = Image.new("RGB", (big, big), main)
    shape = Image.new("L", (big, big), 0)
    box = (x, y, x + side, y + side)
    OBJECTS[scene.object](Canvas(ImageDraw.Draw(shape), box, rng, mask=True), 255, 255)
    OBJECTS[scene.object](Canvas(ImageDraw.Draw(colours), box, rng), main, shade)
    around = shape.filter(ImageFilter.MaxFilter(5))
    outline = (235, 232, 225) if scene.palette == "black" else (38, 30, 34)
    edge = ImageChops.subtract(around, shape)
    colours.paste(outline, mask=edge)
    return around, colours


def _small(image: Image, size: int) -> NDArray[np.float64]:
    """The image averaged down to `size`."""
    from PIL.Image import Resampling

    return np.asarray(image.resize((size, size), Resampling.BOX), np.float64)


def _lit(pixels: NDArray[np.float64], lighting: str, amount: float) -> NDArray[np.float64]:
    """Pixels under a light; `amount` 1 is its full effect, 0 none."""
    size = len(pixels)
    y, x = np.mgrid[0:size, 0:size] / (size - 1)
    if lighting == "golden":
        glow = np.clip(1.1 - x * 0.5 - y * 0.25, 0, 1)[..., None]
        lit = pixels * (1.0, 0.84, 0.62) + glow * (70, 34, -8)
    elif lighting == "night":
        lit = pixels * (0.38, 0.44, 0.62) + (6, 10, 34)
    elif lighting == "lamplight":
        reach = np.exp(-((x - 0.5) ** 2 + (y - 0.42) ** 2) / 0.11)[..., None]
        lit = pixels * (0.22 + 0.95 * reach) * (1.08, 0.88, 0.62)
    else:
        lit = pixels * 1.03 + 3
    mixed: NDArray[np.float64] = pixels * (1 - amount) + lit * amount
    return mixed
