"""Krippendorff's alpha: agreement of any number of annotators who each rated a part (Krippendorff 2011, Computing alpha-reliability).

Each unit is reduced to counts whose sums give alpha, so that a resample of people is a weighted sum.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from engine.agreement.figure import Figure, nothing, of_draws
from engine.agreement.ranks import DECIMALS
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers, ratio

MOST_RATINGS = 25
"""Distinct ratings that the ordinal coefficient takes: it counts every two of them in every resample."""

Alpha: TypeAlias = Callable[[Floats], Floats]
"""Summed counts (sums, columns) to alpha (sums,)."""


class Level(StrEnum):
    """What tells two ratings apart: that they differ, how many ratings lie between them, or how far they are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(bootstrap: ClusterBootstrap, cluster: Integers, ratings: Floats, level: Level) -> Figure:
    """Alpha of `ratings` (units, annotators), NaN where an annotator did not rate; `cluster` (units,) of people.

    `n` counts units with at least two ratings; others say nothing. NaN where all ratings are the same. Raises ValueError for an ordinal
    alpha of more than 25 distinct ratings: those are an interval scale.
    """
    paired = np.isfinite(ratings).sum(axis=1) >= 2
    if not paired.any():
        return nothing()
    cluster, ratings = cluster[paired], ratings[paired]
    counts, alpha = _COUNTED[level](ratings)
    value = float(alpha(counts.sum(axis=0, keepdims=True))[0])
    draws = alpha(bootstrap.totals(bootstrap.per_cluster(cluster, counts)))
    return of_draws(value, draws, len(ratings), len(np.unique(cluster)))


def _interval(ratings: Floats) -> tuple[Floats, Alpha]:
    """Ratings of a unit, their sum, their squares, and the squared differences of every two over the unit's ratings less one."""
    centred = np.nan_to_num(ratings - np.nanmean(ratings))
    n, total, squares = np.isfinite(ratings).sum(axis=1).astype(np.float64), centred.sum(axis=1), (centred**2).sum(axis=1)
    counts = np.stack([n, total, squares, 2 * (n * squares - total**2) / (n - 1)], axis=1)
    return counts, lambda sums: _alpha(sums[:, 3], 2 * (sums[:, 0] * sums[:, 2] - sums[:, 1] ** 2), sums[:, 0])


def _nominal(ratings: Floats) -> tuple[Floats, Alpha]:
    """How often each rating stands in a unit, and the ordered pairs that differ over the unit's ratings less one."""
    held = _held(ratings)
    n = held.sum(axis=1)
    differ = (n**2 - (held**2).sum(axis=1)) / (n - 1)
    counts = np.concatenate([held, differ[:, None]], axis=1)

    def alpha(sums: Floats) -> Floats:
        total = sums[:, :-1].sum(axis=1)
        return _alpha(sums[:, -1], total**2 - (sums[:, :-1] ** 2).sum(axis=1), total)

    return counts, alpha


def _ordinal(ratings: Floats) -> tuple[Floats, Alpha]:
    """The unit's part of the coincidence matrix. Two ratings are as far apart as their midranks, which a resample moves."""
    held = _held(ratings)
    levels = held.shape[1]
    if levels > MOST_RATINGS:
        raise ValueError(f"an ordinal alpha takes at most {MOST_RATINGS} distinct ratings, not {levels}: use the interval one")
    pairs = held[:, :, None] * held[:, None, :] - held[:, :, None] * np.eye(levels)
    counts = (pairs / (held.sum(axis=1) - 1)[:, None, None]).reshape(len(held), -1)

    def alpha(sums: Floats) -> Floats:
        together = sums.reshape(-1, levels, levels)
        each = together.sum(axis=2)
        rank = each.cumsum(axis=1) - each / 2
        apart = (rank[:, :, None] - rank[:, None, :]) ** 2
        expected = np.einsum("rc,rk,rck->r", each, each, apart)
        return _alpha(np.einsum("rck,rck->r", together, apart), expected, each.sum(axis=1))

    return counts, alpha


def _held(ratings: Floats) -> Floats:
    """(units, distinct ratings) how often each stands in each unit."""
    rated = np.isfinite(ratings)
    _, which = np.unique(np.round(ratings[rated], DECIMALS), return_inverse=True)
    held = np.zeros((len(ratings), int(which.max()) + 1))
    np.add.at(held, (np.nonzero(rated)[0], which), 1.0)
    return held


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """1 - (n - 1) x disagreement within units over the disagreement of all pairs of ratings; NaN where nothing can disagree."""
    return np.asarray(1 - ratio(observed * (n - 1), np.where(expected > 1e-9, expected, 0.0)))


_COUNTED: dict[Level, Callable[[Floats], tuple[Floats, Alpha]]] = {
    Level.NOMINAL: _nominal,
    Level.ORDINAL: _ordinal,
    Level.INTERVAL: _interval,
}
