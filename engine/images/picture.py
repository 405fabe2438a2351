"""An image as every stage sees it: decoded once, upright, RGB on white, and named by the bytes it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]
"""(height, width, 3), RGB, 0 to 255."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A decoded image; `sha256` digests the file's bytes. `views`: what several models ask of the pixels (`preprocessing`), made once."""

    pixels: Pixels
    sha256: str
    views: dict[str, Pixels] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels."""
        height, width, _ = self.pixels.shape
        return width, height
