"""Which scenes are drawn in training and which combinations of object, background and palette are held out of it for good."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import product

import numpy as np

from engine.keys import seed_of
from engine.scenes.vocabulary import Scene, classes

SPLIT_RULE = "scenes-split-1"
HELD_OUT_SHARE = 5
"""One combination of this many is held out."""


def is_held_out(scene: Scene) -> bool:
    """Whether no scene of training has this object, background and palette together."""
    return seed_of(SPLIT_RULE, scene.object, scene.background, scene.palette) % HELD_OUT_SHARE == 0


@functools.cache
def _scenes(held_out: bool) -> tuple[Scene, ...]:
    return tuple(scene for scene in _all_scenes() if is_held_out(scene) == held_out)


def _all_scenes() -> Iterator[Scene]:
    for each in product(*(classes(attribute) for attribute in ("object", "background", "lighting", "palette", "layout"))):
        yield Scene(*each)


def draw_scenes(count: int, rng: np.random.Generator, *, held_out: bool) -> list[Scene]:
    """`count` scenes of one side of the split, uniform over its combinations."""
    pool = _scenes(held_out)
    return [pool[int(place)] for place in rng.integers(len(pool), size=count)]
