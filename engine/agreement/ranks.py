"""Midranks, and Spearman's rank correlation over all resamples at once. Scores that agree to nine decimals tie."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers

DECIMALS = 9
"""Two means of the same ratings, added up in another order, must tie."""

_WEIGHTS_AT_ONCE = 500_000


def midranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis, ties sharing their mean rank; NaN throughout where a value is missing."""
    return np.asarray(rankdata(np.round(values, DECIMALS), axis=-1), dtype=np.float64)


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's correlation of each row of two arrays (..., n), by midranks; NaN where either is constant or a value is missing."""
    one, two = (ranks - ranks.mean(axis=-1, keepdims=True) for ranks in (midranks(first), midranks(second)))
    scale = np.sqrt((one**2).sum(axis=-1) * (two**2).sum(axis=-1))
    found = np.full(np.shape(scale), np.nan)
    np.divide((one * two).sum(axis=-1), scale, out=found, where=scale > 0)
    return found


def resampled_spearman(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats) -> Floats:
    """(resamples,) Spearman's correlation of `first` and `second` (cases,), without missing values, ranked anew in each resample."""
    order = np.argsort(first, kind="stable")  # what is read in order is read faster
    cluster, scales = cluster[order], [_Scale(values[order]) for values in (first, second)]
    found = np.full(bootstrap.resamples, np.nan)
    step = max(1, _WEIGHTS_AT_ONCE // max(1, len(first)))
    for start in range(0, bootstrap.resamples, step):
        weights = bootstrap.weights[start : start + step].astype(np.float64)[:, cluster]
        (one, spread_one), (two, spread_two) = (scale.centred_ranks(weights) for scale in scales)
        spread = np.sqrt(spread_one * spread_two)
        together = np.einsum("rn,rn,rn->r", weights, one, two)
        np.divide(together, spread, out=found[start : start + step], where=spread > 0)
    return found


class _Scale:
    """The distinct values of one column in order: where each case stands among them."""

    def __init__(self, values: Floats) -> None:
        _, self._place = np.unique(np.round(values, DECIMALS), return_inverse=True)
        self._order = np.argsort(self._place, kind="stable")
        self._starts = np.searchsorted(self._place[self._order], np.arange(self._place.max() + 1))

    def centred_ranks(self, weights: Floats) -> tuple[Floats, Floats]:
        """Midranks less their mean, (resamples, cases), where a case counts as often as it weighs, and (resamples,) their squares."""
        held = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        ranks = held.cumsum(axis=1) - (held + held.sum(axis=1, keepdims=True)) / 2
        return ranks[:, self._place], np.einsum("rv,rv,rv->r", held, ranks, ranks)
