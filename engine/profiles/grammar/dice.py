"""Seeded draws that are the same on every Python: built on `Random.random()` alone, the one method whose stream is promised."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from engine.keys import seed_of

T = TypeVar("T")


class Dice:
    """A stream of draws named by strings: equal names give equal draws on every machine."""

    def __init__(self, *name: str) -> None:
        self._random = random.Random(seed_of(*name)).random

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        return int(self._random() * n)

    def chance(self, p: float) -> bool:
        """True with probability `p`."""
        return self._random() < p

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`, evenly. Raises IndexError if there are none."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], k: int) -> list[T]:
        """`k` different positions of `items` (all if there are fewer), in random order."""
        pool = list(items)
        chosen = []
        for _ in range(min(k, len(pool))):
            chosen.append(pool.pop(self.below(len(pool))))
        return chosen

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All of `items` in random order."""
        return self.some(items, len(items))

    def weighted(self, weights: Mapping[T, float]) -> T:
        """A key of `weights`, with probability in proportion to its weight; the mapping's order is part of the draw."""
        mark = self._random() * sum(weights.values())
        key = None
        for key, weight in weights.items():
            mark -= weight
            if mark < 0:
                return key
        if key is None:
            raise IndexError("no weights")
        return key
