"""Cluster bootstrap: means, paired differences and Cohen's d, each with a 95 % interval.

People who share content are one cluster, and clusters are what is resampled: rows of one person are not independent. Every column of
every call on one `ClusterBootstrap` sees the same resamples, so differences between methods are paired.

From 30 clusters on an interval is the percentile interval; below that it is bootstrap-t, with a linearised standard error in each
resample; below 5 clusters no interval is given (METRICS, agreement and effect).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

RESAMPLES = 2000
CONFIDENCE = 0.95
FEW_CLUSTERS = 30
FEWEST_CLUSTERS = 5
_WEIGHTS_AT_ONCE = 2_500_000  # 20 MB as float64
_CLUSTERS_AT_ONCE = 128
# A product of this size is too small for a BLAS to share among threads, which on a busy machine wait for each other; tiles are no
# slower on an idle one, and sums do not depend on how many threads there are.
_PRODUCTS_AT_ONCE = 250_000
_TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Estimates:
    """One estimate per column; NaN where there is none. `n` counts values, `clusters` the clusters that they come from."""

    mean: Floats
    low: Floats
    high: Floats
    n: Integers
    clusters: Integers


class ClusterBootstrap:
    """The same resamples of `clusters` clusters for everything that is asked of it.

    Args:
        clusters: how many clusters the run has; cases name theirs by an index below it.
        seed: seed of the resamples.
        resamples: number of resamples.
    """

    def __init__(self, clusters: int, seed: int, resamples: int = RESAMPLES) -> None:
        rng = np.random.Generator(np.random.PCG64(seed))
        self.clusters = clusters
        self.resamples = resamples
        # How often each resample drew each cluster: (resamples, clusters).
        self._weights = np.zeros((resamples, clusters), dtype=np.uint16)
        self._step = max(1, _WEIGHTS_AT_ONCE // max(1, clusters))
        for start in range(0, resamples if clusters else 0, self._step):
            rows = min(self._step, resamples - start)
            drawn = rng.integers(0, clusters, size=(rows, clusters)) + clusters * np.arange(rows)[:, None]
            self._weights[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)

    def per_cluster(self, cluster: Integers, values: Floats) -> Floats:
        """Sums of the columns of `values` (cases, columns) within each cluster: (clusters, columns)."""
        return cluster_sums(cluster, values, self.clusters)

    def totals(self, sums: Floats) -> Floats:
        """The columns of `sums` (clusters, columns) totalled in each resample: (resamples, columns)."""
        totals = np.zeros((self.resamples, sums.shape[1]))
        rows = max(1, _PRODUCTS_AT_ONCE // (_CLUSTERS_AT_ONCE * max(1, sums.shape[1])))
        for start in range(0, self.resamples, self._step):
            weights = self._weights[start : start + self._step].astype(np.float64)
            for first in range(0, self.clusters, _CLUSTERS_AT_ONCE):
                some = slice(first, first + _CLUSTERS_AT_ONCE)
                for row in range(0, len(weights), rows):
                    end = min(row + rows, len(weights))
                    totals[start + row : start + end] += weights[row:end, some] @ sums[some]
        return totals

    def mean(self, cluster: Integers, values: Floats) -> Estimates:
        """Mean of each column over its values, with an interval.

        Args:
            cluster: (cases,) the index of each case's cluster.
            values: (cases, columns); NaN where a case has no value in a column: it is left out, never counted as 0.
        """
        present = np.isfinite(values)
        sums = self.per_cluster(cluster, np.where(present, values, 0.0))
        counts = self.per_cluster(cluster, present.astype(np.float64))
        n = counts.sum(axis=0)
        mean = _ratio(sums.sum(axis=0), n)
        clusters = (counts > 0).sum(axis=0)
        low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
        many = clusters >= FEW_CLUSTERS
        if many.any():
            distinct, place = _distinct(counts[:, many])  # most columns have a value in the same cases
            totals = self.totals(np.concatenate([sums[:, many], distinct], axis=1))
            width = totals.shape[1] - distinct.shape[1]
            low[many], high[many] = percentile_interval(_ratio(totals[:, :width], totals[:, width:][:, place]))
        few = (clusters >= FEWEST_CLUSTERS) & ~many
        if few.any():
            low[few], high[few] = self._studentised(sums[:, few], counts[:, few])
        return Estimates(mean, low, high, n.astype(np.int64), clusters.astype(np.int64))

    def _studentised(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        mean = _ratio(sums.sum(axis=0), counts.sum(axis=0))
        centred = sums - mean * counts  # so that the squares below do not cancel
        parts = [centred, counts, centred**2, centred * counts, counts**2]
        error = np.sqrt(parts[2].sum(axis=0)) / parts[1].sum(axis=0)
        s, n, ss, sn, nn = np.split(self.totals(np.concatenate(parts, axis=1)), len(parts), axis=1)
        shift = _ratio(s, n)  # mean of the resample minus the mean
        resampled = _ratio(np.sqrt(np.maximum(ss - 2 * shift * sn + shift**2 * nn, 0.0)), n)
        # A resample without spread, up to the rounding of the squares, has no error of its own to measure the shift by.
        scale = np.where(resampled > 1e-6 * np.maximum(error, 1e-300), resampled, np.nan)
        lower, upper = percentile_interval(shift / scale)
        constant = error <= 1e-15 * np.maximum(np.abs(mean), 1e-15)
        low = np.where(constant, mean, mean - upper * error)
        high = np.where(constant, mean, mean - lower * error)
        return low, high


def cluster_sums(cluster: Integers, values: Floats, clusters: int) -> Floats:
    """Sums of the columns of `values` (cases, columns) within each cluster: (clusters, columns)."""
    sums = np.empty((clusters, values.shape[1]))
    for column in range(values.shape[1]):
        sums[:, column] = np.bincount(cluster, weights=values[:, column], minlength=clusters)
    return sums


def percentile_interval(draws: Floats) -> tuple[Floats, Floats]:
    """The middle 95 % of each column of `draws` (resamples, columns); NaN for a column with more than 5 % of its resamples undefined."""
    low, high = np.full(draws.shape[1], np.nan), np.full(draws.shape[1], np.nan)
    defined = np.isfinite(draws)
    whole = defined.all(axis=0)
    if whole.any():
        low[whole], high[whole] = np.quantile(draws[:, whole], _TAILS, axis=0)
    for column in np.flatnonzero(~whole & (defined.mean(axis=0) >= CONFIDENCE)):
        low[column], high[column] = np.quantile(draws[defined[:, column], column], _TAILS)
    return low, high


def _distinct(columns: Floats) -> tuple[Floats, list[int]]:
    """The distinct columns of an array, and for each column which of them it is."""
    places: dict[bytes, int] = {}
    place = [places.setdefault(column.tobytes(), len(places)) for column in columns.T]
    return columns[:, [place.index(index) for index in range(len(places))]], place


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    ratio = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio
