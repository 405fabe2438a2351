"""Shares of cases, each with a 95 % interval that holds for few clusters and for shares near 0 and 1.

A bootstrap of a rare win is worthless: many resamples hold none. The interval is Wilson's score interval (1927) on the effective number
of cases, with Student's t for the number of clusters, as Korn and Graubard (1998) use it for survey proportions and as Franco, Little,
Louis and Slud (2019) compare it with others: p (1 - p) over the linearised between-cluster variance of p, at most the number of cases.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from engine.report.statistics import CONFIDENCE, FEWEST_CLUSTERS, Estimates, Floats, Integers, cluster_sums

SCARCE = 3
"""With a win, or a loss, in fewer clusters than this, what the clusters have in common cannot be estimated: each counts as one case."""


def share_estimates(cluster: Integers, won: Floats, clusters: int) -> Estimates:
    """The share of each column, with its interval; none under five clusters.

    Args:
        cluster: (cases,) the index of each case's cluster.
        won: (cases, columns) in [0, 1]; NaN where a case has no winner: it is left out, never counted as lost.
        clusters: how many clusters the run has.
    """
    present = np.isfinite(won)
    wins = cluster_sums(cluster, np.where(present, won, 0.0), clusters)
    cases = cluster_sums(cluster, present.astype(np.float64), clusters)
    n, found = cases.sum(axis=0), (cases > 0).sum(axis=0)
    share = np.full(len(n), np.nan)
    np.divide(wins.sum(axis=0), n, out=share, where=n > 0)
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    enough = found >= FEWEST_CLUSTERS
    if enough.any():
        effective = _effective_cases(wins[:, enough], cases[:, enough], share[enough])
        quantile = stdtrit(found[enough] - 1, (1 + CONFIDENCE) / 2)
        low[enough], high[enough] = _wilson(share[enough], effective, quantile)
    return Estimates(share, low, high, n.astype(np.int64), found.astype(np.int64))


def _effective_cases(wins: Floats, cases: Floats, share: Floats) -> Floats:
    """How many independent cases would tell as much: (columns,) from sums per cluster (clusters, columns)."""
    n, found = cases.sum(axis=0), (cases > 0).sum(axis=0)
    variance = found / (found - 1) * ((wins - share * cases) ** 2).sum(axis=0) / n**2
    effective = n.copy()
    np.divide(share * (1 - share), variance, out=effective, where=variance > 0)
    scarce = np.minimum((wins > 0).sum(axis=0), (wins < cases).sum(axis=0)) < SCARCE
    return np.asarray(np.clip(effective, 1.0, np.where(scarce, found, n)))


def _wilson(share: Floats, n: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    square = quantile**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * np.sqrt(share * (1 - share) / n + square / (4 * n**2))
    low = np.where(share <= 0, 0.0, np.maximum(middle - half, 0.0))
    high = np.where(share >= 1, 1.0, np.minimum(middle + half, 1.0))
    return low, high
