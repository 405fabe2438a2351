"""One-way cluster bootstrap: people who share content are one cluster, and clusters are what is resampled.

Rows of one person are not independent. Every column of every call on one `ClusterBootstrap` sees the same resamples, so differences
between methods are paired.

From 30 clusters on an interval is the percentile interval, widened from the normal quantile to Student's t; below that it is bootstrap-t,
with a linearised standard error in each resample; below 5 clusters no interval is given (METRICS, agreement and effect).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.statistics.estimates import (
    FEW_CLUSTERS,
    FEWEST_CLUSTERS,
    RESAMPLES,
    Estimates,
    Floats,
    Integers,
    Resampled,
    cluster_sums,
    column_patterns,
    ratio,
    student_widening,
    without_spread,
)

_WEIGHTS_AT_ONCE = 2_500_000  # 20 MB as float64
_CLUSTERS_AT_ONCE = 128
# A product of this size is too small for a BLAS to share among threads, which on a busy machine wait for each other; tiles are no
# slower on an idle one, and sums do not depend on how many threads there are.
_PRODUCTS_AT_ONCE = 250_000


class ClusterBootstrap:
    """The same resamples of `clusters` clusters for everything that is asked of it.

    Args:
        clusters: how many clusters the run has; cases name theirs by an index below it.
        seed: seed of the resamples.
        resamples: number of resamples.
    """

    def __init__(self, clusters: int, seed: int, resamples: int = RESAMPLES) -> None:
        self.clusters = clusters
        self.resamples = resamples
        self.weights = resample_counts(np.random.Generator(np.random.PCG64(seed)), clusters, resamples)
        """How often each resample drew each cluster: (resamples, clusters)."""

    def per_cluster(self, cluster: Integers, values: Floats) -> Floats:
        """Sums of the columns of `values` (cases, columns) within each cluster: (clusters, columns)."""
        return cluster_sums(cluster, values, self.clusters)

    def totals(self, sums: Floats) -> Floats:
        """The columns of `sums` (clusters, columns) totalled in each resample: (resamples, columns)."""
        totals = np.zeros((self.resamples, sums.shape[1]))
        step = max(1, _WEIGHTS_AT_ONCE // max(1, self.clusters))
        for start in range(0, self.resamples, step):
            add_product(totals[start : start + step], self.weights[start : start + step].astype(np.float64), sums)
        return totals

    def mean(self, cluster: Integers, values: Floats) -> Estimates:
        """Mean of each column over its values, with an interval; arguments as for `resampled`."""
        return self.resampled(cluster, values).estimates()

    def resampled(self, cluster: Integers, values: Floats) -> Resampled:
        """Mean of each column over its values, with pivots.

        Args:
            cluster: (cases,) the index of each case's cluster.
            values: (cases, columns); NaN where a case has no value in a column: it is left out, never counted as 0.
        """
        columns = values.shape[1]
        found = Resampled(
            np.full(columns, np.nan),
            np.full(columns, np.nan),
            np.full((self.resamples, columns), np.nan),
            np.zeros(columns, dtype=np.int64),
            np.zeros(columns, dtype=np.int64),
            np.zeros(columns, dtype=np.int64),
        )
        for cases, chosen in column_patterns(values):
            if cases.any():
                self._fill(found, chosen, cluster[cases], values[cases][:, chosen])
        return found

    def _fill(self, found: Resampled, columns: Integers, cluster: Integers, values: Floats) -> None:
        counts = np.bincount(cluster, minlength=self.clusters).astype(np.float64)
        clusters = int((counts > 0).sum())
        mean = values.mean(axis=0)
        found.mean[columns], found.n[columns], found.clusters[columns] = mean, len(values), clusters
        if clusters < FEWEST_CLUSTERS:
            return
        sums = self.per_cluster(cluster, values - mean)
        totals = self.totals(np.concatenate([sums, counts[:, None]], axis=1))
        shift = ratio(totals[:, :-1], totals[:, -1:])
        error = np.sqrt((sums**2).sum(axis=0) * clusters / (clusters - 1)) / len(values)
        if clusters < FEW_CLUSTERS:
            pivots = shift / self._errors(sums, counts, shift, totals[:, -1:], error)
        else:
            spread = np.nanstd(shift, axis=0)
            pivots = -shift / np.where(spread > 0, spread, np.nan) * student_widening(clusters - 1)
        constant = without_spread(error, values)
        found.error[columns] = np.where(constant, 0.0, error)
        found.pivots[:, columns] = np.where(constant, 0.0, pivots)

    def _errors(self, sums: Floats, counts: Floats, shift: Floats, n: Floats, error: Floats) -> Floats:
        """The standard error in each resample; NaN without spread, up to the rounding of the squares: it cannot measure a shift."""
        clusters = int((counts > 0).sum())
        parts = self.totals(np.concatenate([sums**2, sums * counts[:, None], counts[:, None] ** 2], axis=1))
        width = sums.shape[1]
        squares = parts[:, :width] - 2 * shift * parts[:, width : 2 * width] + shift**2 * parts[:, -1:]
        errors = ratio(np.sqrt(np.maximum(squares, 0.0) * clusters / (clusters - 1)), n)
        return np.where(errors > 1e-6 * np.maximum(error, 1e-300), errors, np.nan)


def resample_counts(rng: np.random.Generator, clusters: int, resamples: int) -> NDArray[np.uint16]:
    """How often each of `resamples` draws with replacement of as many clusters drew each one: (resamples, clusters)."""
    counts = np.zeros((resamples, clusters), dtype=np.uint16)
    step = max(1, _WEIGHTS_AT_ONCE // max(1, clusters))
    for start in range(0, resamples if clusters else 0, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(0, clusters, size=(rows, clusters)) + clusters * np.arange(rows)[:, None]
        counts[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)
    return counts


def add_product(totals: Floats, weights: Floats, sums: Floats) -> None:
    """Add `weights` (rows, clusters) @ `sums` (clusters, columns) to `totals`, in tiles."""
    rows = max(1, _PRODUCTS_AT_ONCE // (_CLUSTERS_AT_ONCE * max(1, sums.shape[1])))
    for first in range(0, len(sums), _CLUSTERS_AT_ONCE):
        some = slice(first, first + _CLUSTERS_AT_ONCE)
        for row in range(0, len(weights), rows):
            totals[row : row + rows] += weights[row : row + rows, some] @ sums[some]
