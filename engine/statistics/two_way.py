"""Two-way bootstrap: people and query families are both a sample, and both are resampled.

The pigeonhole bootstrap (Owen 2007) draws people and, within each task, query families with replacement; a case counts as often as its
person times its family. Its variance is up to three times too large where cells are sparse: with one query for each person and task,
and noise alone, its 95 % intervals covered 98.5 to 100 % of simulated truths. So its resamples give the shape of an interval and what
columns have in common, and the width comes from the two-way cluster-robust variance V(people) + V(families) - V(cells).

That variance is estimated from as few families as a task has, so each resample is also divided by the root of a chi-square over its
degrees of freedom, those of the fewer side: an interval is as wide as Student's t asks, and the largest of many comparisons has the tails
it must have. With 15 families Holm's family error was 4 % (`benchmarks/coverage.py`); with bootstrap-t, a standard error of each
resample's own, it was 6 to 8 %. Below 5 on a side there is no interval. One family is no sample of families: then the interval is
one-way, for these queries.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri

from engine.statistics.cluster_bootstrap import ClusterBootstrap, add_product, resample_counts
from engine.statistics.crossing import Cells, Crossing, cells_of
from engine.statistics.estimates import (
    FEWEST_CLUSTERS,
    RESAMPLES,
    Estimates,
    Floats,
    Integers,
    Resampled,
    column_patterns,
    ratio,
    without_spread,
)

_CELLS_AT_ONCE = 512


class TwoWayBootstrap:
    """The same resamples of people and of query families for everything that is asked of it.

    Args:
        clusters: how many clusters of people the run has.
        task_of_family: (families,) the task of each query family of the run; a label that two tasks share is two families.
        seed: seed of the resamples.
        resamples: number of resamples.

    `people` resamples people alone, with the same draws.
    """

    def __init__(self, clusters: int, task_of_family: Integers, seed: int, resamples: int = RESAMPLES) -> None:
        self.people = ClusterBootstrap(clusters, seed, resamples)
        self.resamples = resamples
        self.task_of_family = task_of_family
        self._families = np.zeros((resamples, len(task_of_family)), dtype=np.uint16)
        rng = np.random.Generator(np.random.PCG64([seed, 1]))
        self._rank = rng.random((resamples, 1))  # of each resample's chi-square, whatever its degrees of freedom
        for task in np.unique(task_of_family):
            of_task = np.flatnonzero(task_of_family == task)
            self._families[:, of_task] = resample_counts(rng, len(of_task), resamples)

    def mean(self, where: Crossing, values: Floats) -> Estimates:
        """Mean of each column over its values, with an interval; arguments as for `resampled`."""
        return self.resampled(where, values).estimates()

    def resampled(self, where: Crossing, values: Floats) -> Resampled:
        """Mean of each column over its values, with pivots.

        Args:
            where: each case's cluster of people and query family.
            values: (cases, columns); NaN where a case has no value in a column: it is left out, never counted as 0.
        """
        whole = self.people.resampled(where.cluster[:0], values[:0])
        for cases, chosen in column_patterns(values):
            if cases.any():
                part = self._complete(where.of(cases), values[cases][:, chosen])
                for name in ("mean", "error", "n", "clusters", "families"):
                    getattr(whole, name)[chosen] = getattr(part, name)
                whole.pivots[:, chosen] = part.pivots
        return whole

    def _complete(self, where: Crossing, values: Floats) -> Resampled:
        cells = cells_of(where, self.task_of_family, values)
        if cells.families_varying < 2:
            return self.people.resampled(where.cluster, values)
        clusters, columns = len(cells.clusters), values.shape[1]
        pivots, error = np.full((self.resamples, columns), np.nan), np.full(columns, np.nan)
        fewest = min(clusters, cells.families_varying)
        if fewest >= FEWEST_CLUSTERS:
            error = cells.error()
            constant = without_spread(error, values)
            error = np.where(constant, 0.0, error)
            moved = self._moved(cells)
            spread = np.nanstd(moved, axis=0)
            student = np.sqrt(chdtri(fewest - 1, self._rank) / (fewest - 1))
            pivots = np.where(constant, 0.0, -moved / np.where(spread > 0, spread, np.nan) / student)
        count = np.full(columns, len(values))
        return Resampled(values.mean(axis=0), error, pivots, count, np.full(columns, clusters), np.full(columns, len(cells.families)))

    def _moved(self, cells: Cells) -> Floats:
        """(resamples, columns) mean of the resample less that of the sample; each task keeps its share of the pooled mean."""
        people, families = self.people.weights[:, cells.clusters], self._families[:, cells.families].astype(np.float64)
        task = cells.task[cells.family]
        moved = np.zeros((self.resamples, cells.residual.shape[1]))
        for t in range(cells.tasks):
            of_task = np.flatnonzero(task == t)
            total = np.zeros((self.resamples, cells.residual.shape[1] + 1))
            for start in range(0, len(of_task), _CELLS_AT_ONCE):
                some = of_task[start : start + _CELLS_AT_ONCE]
                weights = people[:, cells.cluster[some]] * families[:, cells.family[some]]
                add_product(total, weights, np.concatenate([cells.residual[some], cells.cases[some, None]], axis=1))
            moved += cells.cases[of_task].sum() / cells.cases.sum() * ratio(total[:, :-1], total[:, -1:])
        return moved
