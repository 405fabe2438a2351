"""Shapes in a box of their own: coordinates from 0 to 1, whatever the size of the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

Colour: TypeAlias = tuple[int, int, int]
Fill: TypeAlias = Colour | int
Point: TypeAlias = tuple[float, float]


def jitter(rng: np.random.Generator, colour: Colour, by: int) -> Colour:
    """A colour near `colour`: each channel moves by `by` at most."""
    red, green, blue = (int(np.clip(channel + rng.integers(-by, by + 1), 0, 255)) for channel in colour)
    return red, green, blue


@dataclass(frozen=True, slots=True)
class Canvas:
    """A box (left, top, right, bottom) of an image; `rng` decides the details of what is drawn. On a mask holes are not cut out."""

    pencil: ImageDraw
    box: tuple[float, float, float, float]
    rng: np.random.Generator
    mask: bool = False

    def at(self, x: float, y: float) -> Point:
        """A point of the box in the image's own pixels."""
        left, top, right, bottom = self.box
        return left + x * (right - left), top + y * (bottom - top)

    def thick(self, width: float) -> int:
        """A share of the box's width in pixels."""
        return max(1, round(width * (self.box[2] - self.box[0])))

    def polygon(self, points: Sequence[Point], fill: Fill) -> None:
        self.pencil.polygon([self.at(*point) for point in points], fill=fill)

    def rectangle(self, x0: float, y0: float, x1: float, y1: float, fill: Fill) -> None:
        self.pencil.rectangle([self.at(x0, y0), self.at(x1, y1)], fill=fill)

    def ellipse(self, x0: float, y0: float, x1: float, y1: float, fill: Fill) -> None:
        self.pencil.ellipse([self.at(x0, y0), self.at(x1, y1)], fill=fill)

    def ring(self, x0: float, y0: float, x1: float, y1: float, fill: Fill, width: float) -> None:
        self.pencil.ellipse([self.at(x0, y0), self.at(x1, y1)], outline=fill, width=self.thick(width))

    def line(self, points: Sequence[Point], fill: Fill, width: float) -> None:
        self.pencil.line([self.at(*point) for point in points], fill=fill, width=self.thick(width), joint="curve")
