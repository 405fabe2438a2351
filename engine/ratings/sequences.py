"""Studies that grow while they are looked at: who is ahead of whom by profile means, valid at every look, and when to stop.

Each profile gives one number a pair of entrants, its mean preference, so that verdicts of one profile never count as independent. The
intervals are asymptotic confidence sequences (METRICS, agreement and effect), at alpha over the number of pairs, so that all hold at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.ratings.counts import RESULTS, Counts
from engine.statistics.confidence_sequence import TIGHTEST_AT, half_width
from engine.statistics.estimates import Flags, Floats, Integers, ratio

FIRST_LOOK = 30
"""Profiles from which a sequence, which holds asymptotically, is told."""


@dataclass(frozen=True, slots=True)
class PairSequences:
    """(pairs,) each: `first` and `second` index entrants, `mean` is the mean over `profiles` of their mean preference.

    A preference is 1 for the first entrant, 0 for a tie, -1 for the second. `low` and `high` hold at all looks and for all pairs at once;
    NaN before the first look. `decided` are the pairs whose interval leaves 0 out, `equal` those whose interval lies within `margin`.
    """

    first: Integers
    second: Integers
    mean: Floats
    low: Floats
    high: Floats
    profiles: Integers
    margin: float

    @property
    def decided(self) -> Flags:
        """(pairs,) whether one is ahead."""
        return np.asarray((self.low > 0) | (self.high < 0))

    @property
    def equal(self) -> Flags:
        """(pairs,) whether the difference is surely smaller than the margin."""
        return np.asarray((self.low > -self.margin) & (self.high < self.margin))

    @property
    def stop(self) -> bool:
        """Whether every pair is decided or surely equal, so that more profiles would change no answer. Valid at any time."""
        return bool(len(self.first)) and bool((self.decided | self.equal).all())


def pair_sequences(counts: Counts, *, alpha: float = 0.05, margin: float = 0.1, tightest_at: int = TIGHTEST_AT) -> PairSequences:
    """Confidence sequences of all pairs of entrants on profile means.

    Args:
        counts: verdicts so far; clusters are profiles, of which each must be complete or not begun at a look.
        alpha: chance that any interval ever leaves its truth out, over all looks and pairs.
        margin: mean preferences closer to 0 than this are as good as equal.
        tightest_at: number of profiles at which the sequences are tightest.
    """
    entrants = len(counts.entrants)
    pairs = np.array(list(combinations(range(entrants), 2)), dtype=np.int64).reshape(-1, 2)
    number = {(int(one), int(two)): index for index, (one, two) in enumerate(pairs)}
    cells = len(counts.judge)
    lead, asked = np.zeros((cells * RESULTS, len(pairs))), np.zeros((cells * RESULTS, len(pairs)))
    for cell, (one, two) in enumerate(zip(counts.first, counts.second, strict=True)):
        pair, sign = number[min(int(one), int(two)), max(int(one), int(two))], 1.0 if one < two else -1.0
        lead[RESULTS * cell : RESULTS * (cell + 1), pair] = (sign, 0.0, -sign)
        asked[RESULTS * cell : RESULTS * (cell + 1), pair] = 1.0
    preference = ratio(counts.per_cluster @ lead, counts.per_cluster @ asked)  # (profiles, pairs)
    known = np.isfinite(preference)
    profiles = known.sum(axis=0)
    mean = ratio(np.nansum(preference, axis=0), profiles.astype(np.float64))
    squares = np.nansum((preference - mean) ** 2, axis=0)
    deviation = np.sqrt(ratio(squares, profiles - 1.0))
    half = np.full(len(pairs), np.nan)
    for index in np.flatnonzero(profiles >= FIRST_LOOK):
        half[index] = half_width(float(deviation[index]), int(profiles[index]), alpha / len(pairs), tightest_at)
    return PairSequences(pairs[:, 0], pairs[:, 1], mean, mean - half, mean + half, profiles, margin)
