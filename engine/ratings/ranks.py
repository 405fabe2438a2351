"""Ranks of entrants, 1 the strongest, with intervals: in resamples, and such that all hold at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.estimates import Floats, Integers, percentile_interval
from engine.statistics.simultaneous import Family


@dataclass(frozen=True, slots=True)
class Ranks:
    """(entrants,) each: the rank, and its ranges; NaN where there is none.

    `low` and `high` cover all true ranks at once with 95 %: from who is surely ahead of whom by simultaneous intervals. `drawn_low` and
    `drawn_high` are the middle 95 % of the ranks in resamples, narrower, and not to be trusted between near equals.
    """

    rank: Floats
    low: Floats
    high: Floats
    drawn_low: Floats
    drawn_high: Floats

    def spread(self, place: Integers, wide: int) -> Ranks:
        """The ranks of the entrants at `place` among `wide` entrants."""
        columns = np.full((5, wide), np.nan)
        columns[:, place] = (self.rank, self.low, self.high, self.drawn_low, self.drawn_high)
        return Ranks(*columns)


def ranks_of(strength: Floats) -> Floats:
    """Ranks along the last axis, 1 for the greatest; ties share the best of their ranks."""
    return np.asarray(1.0 + (strength[..., None, :] > strength[..., :, None] + 1e-9).sum(axis=-1))


def drawn_ranks(strength: Floats) -> tuple[Floats, Floats]:
    """The middle 95 % of each entrant's rank in resamples `strength` (rounds, entrants), rounded outwards."""
    low, high = percentile_interval(ranks_of(strength))
    return np.floor(low), np.ceil(high)


def ranks_from_differences(strength: Floats, pairs: Integers, family: Family, drawn_low: Floats, drawn_high: Floats) -> Ranks:
    """Ranks with simultaneous ranges (Mogstad, Romano, Shaikh and Wilhelm 2024).

    Args:
        strength: (entrants,).
        pairs: (pairs, 2) entrants whose difference `family` bounds.
        family: simultaneous intervals of the differences; an entrant with a pair without interval has no range.
        drawn_low: (entrants,) by `drawn_ranks`, or NaN.
        drawn_high: likewise.
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
    return Ranks(ranks_of(strength), np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), drawn_low, drawn_high)
