"""Whether two scores order the methods alike: Kendall's tau-b, with an interval over people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.effect_sizes import TIE
from engine.statistics.estimates import FEWEST_CLUSTERS, Floats, Integers, percentile_interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kendall's tau-b of two orders with its 95 % interval, and how many pairs of methods they order oppositely."""

    tau: float
    low: float
    high: float
    reversed_pairs: int
    n: int
    clusters: int


def kendall_tau_b(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b of each row of two arrays (rows, methods), ties within 1e-9; NaN where a row ties throughout (Kendall 1945)."""
    one, two = _signs(first), _signs(second)
    untied = np.sqrt(
        (one != 0).sum(axis=-1)
        * (two != 0).sum(
            axis=-1,
        )
    )
    tau = np.full(untied.shape, np.nan)
    np.divide((one * two).sum(axis=-1), untied, out=tau, where=untied > 0)
    undefined = ~(np.isfinite(first).all(axis=-1) & np.isfinite(second).all(axis=-1))
    return np.where(undefined, np.nan, tau)


def order_agreement(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats) -> Agreement | None:
    """Tau-b between the orders of mean `first` and mean `second` (cases, methods), over the cases where both are complete.

    The interval is the percentile interval over resampled people, the same for both scores; none under five clusters. None with fewer than
    two methods or without a complete case.
    """
    complete = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    if first.shape[1] < 2 or not complete.any():
        return None
    cluster, both = cluster[complete], np.concatenate([first[complete], second[complete]], axis=1)
    methods = first.shape[1]
    means = both.mean(axis=0)
    clusters = len(np.unique(cluster))
    low = high = np.full(1, np.nan)
    if clusters >= FEWEST_CLUSTERS:
        counts = np.ones((len(both), 1))
        totals = bootstrap.totals(bootstrap.per_cluster(cluster, np.concatenate([both - means, counts], axis=1)))
        n = np.where(totals[:, -1:] > 0, totals[:, -1:], np.nan)
        drawn = totals[:, :-1] / n + means
        low, high = percentile_interval(kendall_tau_b(drawn[:, :methods], drawn[:, methods:])[:, None])
    tau = kendall_tau_b(means[None, :methods], means[None, methods:])
    opposed = _signs(means[:methods]) * _signs(means[methods:]) < 0
    return Agreement(float(tau[0]), float(low[0]), float(high[0]), int(opposed.sum()), len(both), clusters)


def _signs(values: Floats) -> Floats:
    """Which of every two methods is ahead, in rows of `values`: 1, 0 or -1 for each pair."""
    one, two = np.triu_indices(values.shape[-1], k=1)
    lead = values[..., one] - values[..., two]
    return np.where(np.abs(lead) <= TIE, 0.0, np.sign(lead))
