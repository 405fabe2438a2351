"""Ranks of entrants, 1 the strongest, with ranges that all hold at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.estimates import Floats, Integers
from engine.statistics.simultaneous import Family


@dataclass(frozen=True, slots=True)
class Ranks:
    """(entrants,) each: the rank, and its ranges; NaN where there is none.

    `low` and `high` cover all true ranks at once with 95 %: from who is surely ahead of whom by simultaneous intervals.
    """

    rank: Floats
    low: Floats
    high: Floats

    def spread(self, place: Integers, wide: int) -> Ranks:
        """The ranks of the entrants at `place` among `wide` entrants."""
        columns = np.full((3, wide), np.nan)
        columns[:, place] = (self.rank, self.low, self.high)
        return Ranks(*columns)


def ranks_of(strength: Floats) -> Floats:
    """Ranks along the last axis, 1 for the greatest; ties share the best of their ranks."""
    return np.asarray(1.0 + (strength[..., None, :] > strength[..., :, None] + 1e-9).sum(axis=-1))


def ranks_from_differences(strength: Floats, pairs: Integers, family: Family) -> Ranks:
    """Ranks with simultaneous ranges (Mogstad, Romano, Shaikh and Wilhelm 2024).

    Args:
        strength: (entrants,).
        pairs: (pairs, 2) entrants whose difference `family` bounds.
        family: simultaneous intervals of the differences; an entrant with a pair without interval has no range.
    """
    entrants = len(strength)
    ahead, behind = np.zeros(entrants), np.zeros(entrants)
    unknown = np.zeros(entrants, dtype=np.bool_)
    for better, (one, two) in ((family.low > 0, pairs.T), (family.high < 0, pairs.T[::-1])):
        np.add.at(behind, one[better], 1)
        np.add.at(ahead, two[better], 1)
    for side in pairs.T:
        unknown[side[~np.isfinite(family.low)]] = True
    low, high = 1.0 + ahead, entrants - behind
    return Ranks(ranks_of(strength), np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
