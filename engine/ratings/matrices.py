"""Who beat whom how often, of which number of verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.statistics.estimates import Floats, Integers
from engine.statistics.shares import people_share


@dataclass(frozen=True, slots=True)
class Matrices:
    """(entrants, entrants) each: of the row's entrant against the column's.

    `battles` counts verdicts, `wins` and `ties` those won and tied, `clusters` the people. `rate` is the share won, a tie half, with a 95 %
    interval by profile; NaN on the diagonal and where the two never met.
    """

    battles: Integers
    wins: Integers
    ties: Integers
    clusters: Integers
    rate: Floats
    low: Floats
    high: Floats


def matrices(battles: Battles) -> Matrices:
    """Win-rate and battle-count matrices over all orders and judges of `battles`; give it one judge's for that judge's."""
    m = len(battles.entrants)
    wins, ties = (np.zeros((m, m), dtype=np.int64) for _ in range(2))
    for result, row, column in ((FIRST, battles.first, battles.second), (SECOND, battles.second, battles.first)):
        won = battles.result == result
        wins += np.bincount(row[won] * m + column[won], minlength=m * m).reshape(m, m)
    tied = battles.result == TIE
    ties += np.bincount(battles.first[tied] * m + battles.second[tied], minlength=m * m).reshape(m, m)
    ties += ties.T.copy()
    rate, low, high = (np.full((m, m), np.nan) for _ in range(3))
    clusters = np.zeros((m, m), dtype=np.int64)
    above = np.minimum(battles.first, battles.second)
    pair = above * m + np.maximum(battles.first, battles.second)
    order = np.argsort(pair, kind="stable")
    bounds = np.searchsorted(pair[order], np.arange(m * m + 1))
    for code in np.flatnonzero(np.diff(bounds)):
        rows = order[bounds[code] : bounds[code + 1]]
        one, two = divmod(int(code), m)
        score = 1 - battles.result[rows] / 2
        found = people_share(battles.cluster[rows], np.where(battles.first[rows] == one, score, 1 - score))
        rate[one, two], low[one, two], high[one, two] = found.mean[0], found.low[0], found.high[0]
        rate[two, one], low[two, one], high[two, one] = 1 - found.mean[0], 1 - found.high[0], 1 - found.low[0]
        clusters[one, two] = clusters[two, one] = found.clusters[0]
    return Matrices(wins + wins.T + ties, wins, ties, clusters, rate, low, high)
