"""Orders of the same methods that come from different studies, such as best-of-k choices and ratings, compared by Kendall's tau-b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.agreement.figure import Figure, of_draws
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers, ratio
from engine.statistics.order_agreement import kendall_tau_b


@dataclass(frozen=True, slots=True)
class Order:
    """How good each method is, higher is better: `value` (methods,), and in each resample of people `draws` (resamples, methods).

    `n` counts cases, `clusters` the clusters of people behind them. Ratings of `engine.ratings` make one as well.
    """

    value: Floats
    draws: Floats
    n: int
    clusters: int


def ratio_order(bootstrap: ClusterBootstrap, cluster: Integers, parts: Floats, wholes: Floats) -> Order:
    """Each method's sum of `parts` over its sum of `wholes` (cases, methods); `cluster` (cases,) of people."""
    methods = parts.shape[1]
    both = np.concatenate([parts, wholes], axis=1)
    totals = bootstrap.totals(bootstrap.per_cluster(cluster, both))
    value = ratio(both[:, :methods].sum(axis=0), both[:, methods:].sum(axis=0))
    return Order(value, ratio(totals[:, :methods], totals[:, methods:]), len(parts), len(np.unique(cluster)))


def mean_order(bootstrap: ClusterBootstrap, cluster: Integers, scores: Floats) -> Order:
    """Each method's mean of `scores` (cases, methods) over the cases where it has one."""
    return ratio_order(bootstrap, cluster, np.nan_to_num(scores), np.isfinite(scores).astype(np.float64))


def order_tau(one: Order, other: Order) -> Figure:
    """Kendall's tau-b of two orders of the same methods, from the same resamples of people; `n` counts methods that both have.

    The interval is for the smaller number of clusters behind the two.
    """
    known = np.isfinite(one.value) & np.isfinite(other.value)
    if known.sum() < 2:
        return Figure(float("nan"), float("nan"), float("nan"), int(known.sum()), 0)
    value = kendall_tau_b(one.value[None, known], other.value[None, known])
    draws = kendall_tau_b(one.draws[:, known], other.draws[:, known])
    return of_draws(float(value[0]), draws, int(known.sum()), min(one.clusters, other.clusters))
