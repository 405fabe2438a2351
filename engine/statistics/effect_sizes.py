"""Cohen's d of the best method of a row against each other one, and who wins how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import FEWEST_CLUSTERS, Flags, Floats, Integers, percentile_interval

TIE = 1e-9
"""Two scores closer than this are the same score computed in another order."""


def pooled_d(a: Floats, b: Floats) -> float:
    """Cohen's d of `a` over `b`, standardised by the root mean of both sample variances; NaN without spread. Source: METRICS, Cohen's d."""
    return _standardised(float(np.mean(a) - np.mean(b)), float(np.var(a, ddof=1) + np.var(b, ddof=1)) / 2) if len(a) > 1 else float("nan")


def paired_d(a: Floats, b: Floats) -> float:
    """Cohen's d of the paired differences `a` - `b`, standardised by their own sample deviation; NaN without spread. Source: METRICS."""
    return _standardised(float(np.mean(a - b)), float(np.var(a - b, ddof=1))) if len(a) > 1 else float("nan")


def _standardised(difference: float, variance: float) -> float:
    return difference / float(np.sqrt(variance)) if variance > 1e-24 else float("nan")


def win_shares(values: Floats) -> Floats:
    """Each case's win, split among those that tie for the best: (cases, methods); NaN rows where a method has no value."""
    best = values.max(axis=1, keepdims=True)  # NaN if any method is missing
    wins = (values >= best - TIE).astype(np.float64)
    wins[~np.isfinite(values).all(axis=1)] = np.nan
    return np.asarray(wins / wins.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class BestEffects:
    """d of the row's best over each method: arrays of (methods,), NaN for the best itself and where there is no spread."""

    best: int
    pooled: Floats
    pooled_low: Floats
    pooled_high: Floats
    paired: Floats
    paired_low: Floats
    paired_high: Floats
    n: int
    clusters: int


def effects_against_best(bootstrap: ClusterBootstrap, cluster: Integers, values: Floats, eligible: Flags) -> BestEffects | None:
    """Cohen's d of the best eligible method over every method, on the cases where all have a value.

    Args:
        bootstrap: the run's resamples.
        cluster: (cases,) cluster of each case.
        values: (cases, methods) scores, NaN where missing.
        eligible: (methods,) which may be the best.

    The best is chosen anew in each resample, since choosing it once and then testing it overstates its lead.
    None if fewer than two cases are complete.
    """
    complete = np.isfinite(values).all(axis=1)
    if complete.sum() < 2 or not eligible.any():
        return None
    cluster, values = cluster[complete], values[complete]
    clusters = len(np.unique(cluster))
    means = values.mean(axis=0)
    best = int(np.argmax(np.where(eligible, means, -np.inf)))
    methods = values.shape[1]
    others = [index for index in range(methods) if index != best]
    pooled, paired = np.full(methods, np.nan), np.full(methods, np.nan)
    for index in others:
        pooled[index] = pooled_d(values[:, best], values[:, index])
        paired[index] = paired_d(values[:, best], values[:, index])
    bounds = np.full((4, methods), np.nan)
    if clusters >= FEWEST_CLUSTERS:
        draws = _resampled(bootstrap, cluster, values - means.mean(), eligible)
        for row, kind in enumerate(draws):
            bounds[2 * row : 2 * row + 2] = percentile_interval(kind)
    bounds[:, [best]] = np.nan
    return BestEffects(best, pooled, bounds[0], bounds[1], paired, bounds[2], bounds[3], len(values), clusters)


def _resampled(bootstrap: ClusterBootstrap, cluster: Integers, values: Floats, eligible: Flags) -> tuple[Floats, Floats]:
    methods = values.shape[1]
    products = (values[:, :, None] * values[:, None, :]).reshape(len(values), -1)
    columns = np.concatenate([np.ones((len(values), 1)), values, products], axis=1)
    totals = bootstrap.totals(bootstrap.per_cluster(cluster, columns))
    n = np.where(totals[:, :1] >= 2, totals[:, :1], np.nan)
    mean = totals[:, 1 : 1 + methods] / n
    second = totals[:, 1 + methods :].reshape(-1, methods, methods)
    covariance = (second - n[:, :, None] * mean[:, :, None] * mean[:, None, :]) / (n - 1)[:, :, None]
    variance = np.einsum("rmm->rm", covariance)
    best = np.argmax(np.where(eligible & np.isfinite(mean), mean, -np.inf), axis=1)
    row = np.arange(len(best))
    lead = mean[row, best][:, None] - mean
    pooled_variance = (variance[row, best][:, None] + variance) / 2
    paired_variance = variance[row, best][:, None] + variance - 2 * covariance[row, best]
    draws = []
    for spread in (pooled_variance, paired_variance):
        d = np.full_like(lead, np.nan)
        np.divide(lead, np.sqrt(np.maximum(spread, 0.0)), out=d, where=spread > 1e-18)
        d[row, best] = 0.0  # where this method is itself the best of the resample, nothing is ahead of it
        draws.append(d)
    return draws[0], draws[1]
