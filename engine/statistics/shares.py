"""Shares of cases, each with an interval that holds for few clusters and for shares near 0 and 1.

A bootstrap of a rare win is worthless: many resamples hold none. The interval is Wilson's score interval (1927) on the effective number
of cases, with Student's t for the number of clusters, as Korn and Graubard (1998) use it for survey proportions and as Franco, Little,
Louis and Slud (2019) compare it with others: p (1 - p) over the linearised variance of p, at most the number of cases. The variance is
two-way where query families vary, the degrees of freedom those of the fewer side.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from engine.statistics.crossing import Crossing, cells_of
from engine.statistics.estimates import CONFIDENCE, FEWEST_CLUSTERS, Estimates, Floats, Integers, cluster_sums, column_patterns

SCARCE = 3
"""With a win, or a loss, in fewer clusters than this, what the clusters have in common cannot be estimated: each counts as one case."""


def share_estimates(where: Crossing, task_of_family: Integers, won: Floats, confidence: float = CONFIDENCE) -> Estimates:
    """The share of each column, with its interval; none under five clusters of people or, where queries vary, five families.

    Args:
        where: each case's cluster of people and query family.
        task_of_family: (families,) the task of each query family of the run.
        won: (cases, columns) in [0, 1]; NaN where a case has no winner: it is left out, never counted as lost.
        confidence: of the interval.
    """
    columns = won.shape[1]
    share, low, high = (np.full(columns, np.nan) for _ in range(3))
    n, clusters, families = (np.zeros(columns, dtype=np.int64) for _ in range(3))
    for cases, chosen in column_patterns(won):
        if not cases.any():
            continue
        part, values = where.of(cases), won[cases][:, chosen]
        cells = cells_of(part, task_of_family, values)
        varying = cells.families_varying
        fewest = min(len(cells.clusters), varying if varying > 1 else len(cells.clusters))
        share[chosen], n[chosen], clusters[chosen] = values.mean(axis=0), len(values), len(cells.clusters)
        families[chosen] = len(cells.families) if varying > 1 else 0
        if fewest >= FEWEST_CLUSTERS:
            error = cells.error() if varying > 1 else _people_alone(part.cluster, values)
            effective = _effective_cases(part.cluster, values, error**2)
            low[chosen], high[chosen] = _wilson(values.mean(axis=0), effective, stdtrit(fewest - 1, (1 + confidence) / 2))
    return Estimates(share, low, high, n, clusters, families)


def people_share(cluster: Integers, won: Floats, confidence: float = CONFIDENCE) -> Estimates:
    """The share of `won` (cases,) in [0, 1], NaN left out, with an interval over clusters of people alone; one element."""
    one_family = Crossing(cluster, np.zeros(len(cluster), dtype=np.int64))
    return share_estimates(one_family, np.zeros(1, dtype=np.int64), won[:, None], confidence)


def _people_alone(cluster: Integers, values: Floats) -> Floats:
    """(columns,) linearised standard error of the share with people as the only clusters."""
    found = len(np.unique(cluster))
    sums = cluster_sums(cluster, values - values.mean(axis=0), int(cluster.max()) + 1)
    return np.asarray(np.sqrt(found / (found - 1) * (sums**2).sum(axis=0)) / len(values))


def _effective_cases(cluster: Integers, values: Floats, variance: Floats) -> Floats:
    """How many independent cases would tell as much: (columns,)."""
    share, n = values.mean(axis=0), len(values)
    wins = cluster_sums(cluster, values, int(cluster.max()) + 1)
    cases = np.bincount(cluster).astype(np.float64)[:, None]
    effective = np.full(len(share), float(n))
    np.divide(share * (1 - share), variance, out=effective, where=variance > 0)
    scarce = np.minimum((wins > 0).sum(axis=0), (wins < cases).sum(axis=0)) < SCARCE
    return np.asarray(np.clip(effective, 1.0, np.where(scarce, (cases > 0).sum(), n)))


def _wilson(share: Floats, n: Floats, quantile: float) -> tuple[Floats, Floats]:
    square = quantile**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * np.sqrt(share * (1 - share) / n + square / (4 * n**2))
    low = np.where(share <= 0, 0.0, np.maximum(middle - half, 0.0))
    high = np.where(share >= 1, 1.0, np.minimum(middle + half, 1.0))
    return low, high
