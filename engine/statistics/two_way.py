"""Two-way bootstrap: people and query families are both a sample, and both are resampled.

The pigeonhole bootstrap (Owen 2007) draws people and, within each task, query families with replacement; a case counts as often as its
person times its family. Its variance is up to three times too large where cells are sparse: with one query for each person and task,
and noise alone, 95 % intervals covered 98.5 to 100 % of simulated truths. So its resamples give the shape of an interval only, and the
width comes from the two-way cluster-robust variance V(people) + V(families) - V(cells), with which the same simulations gave 93.5 to
96.5 % (`benchmarks/coverage.py`). In a resample as in the sample that variance is consistent, which makes their ratio a pivot.

From 30 people and 30 families on, the resampled means are scaled to that standard error and widened from the normal quantile to Student's
t with the degrees of freedom of the fewer side. Below that the interval is bootstrap-t: each resample has its own two-way standard error.
Below 5 on a side there is none. One family is no sample of families: then the interval is one-way, for these queries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.statistics.cluster_bootstrap import ClusterBootstrap, add_product, resample_counts
from engine.statistics.crossing import Cells, Crossing, cells_of, factor
from engine.statistics.estimates import (
    FEW_CLUSTERS,
    FEWEST_CLUSTERS,
    RESAMPLES,
    Estimates,
    Floats,
    Integers,
    Resampled,
    column_patterns,
    ratio,
    student_widening,
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
            drawn = self._drawn(cells)
            pivots = drawn.studentised(error) if fewest < FEW_CLUSTERS else drawn.scaled() * student_widening(fewest - 1)
            pivots[:, constant] = 0.0
        count = np.full(columns, len(values))
        return Resampled(values.mean(axis=0), error, pivots, count, np.full(columns, clusters), np.full(columns, len(cells.families)))

    def _drawn(self, cells: Cells) -> _Drawn:
        """Both kinds of weights, and the shift of each task's mean in each resample."""
        people, families = self.people.weights[:, cells.clusters], self._families[:, cells.families].astype(np.float64)
        task = cells.task[cells.family]
        columns = cells.residual.shape[1]
        shift = np.zeros((cells.tasks, self.resamples, columns))
        scale = np.zeros((cells.tasks, self.resamples))
        for t in range(cells.tasks):
            total = np.zeros((self.resamples, columns + 1))
            of_task = np.flatnonzero(task == t)
            for start in range(0, len(of_task), _CELLS_AT_ONCE):
                some = of_task[start : start + _CELLS_AT_ONCE]
                weights = people[:, cells.cluster[some]] * families[:, cells.family[some]]
                add_product(total, weights, np.concatenate([cells.residual[some], cells.cases[some, None]], axis=1))
            shift[t] = ratio(total[:, :-1], total[:, -1:])
            scale[t] = ratio(np.full(self.resamples, cells.cases[of_task].sum()), total[:, -1])
        return _Drawn(cells, people, families, shift, scale)


class _Drawn:
    """The resamples of one group of cells.

    Args:
        cells: residuals in cells.
        people: (resamples, clusters) how often each was drawn.
        families: (resamples, families) how often each was drawn.
        shift: (tasks, resamples, columns) mean of the resample less that of the sample.
        scale: (tasks, resamples) cases of the sample over those of the resample: a task keeps its share of the pooled mean.
    """

    def __init__(self, cells: Cells, people: NDArray[np.uint16], families: Floats, shift: Floats, scale: Floats) -> None:
        self.cells, self.people, self.families, self.shift, self.scale = cells, people, families, shift, scale
        share = np.bincount(cells.task[cells.family], weights=cells.cases, minlength=cells.tasks) / cells.cases.sum()
        self.moved: Floats = np.tensordot(share, shift, axes=1)
        """(resamples, columns) pooled mean of the resample less that of the sample."""

    def scaled(self) -> Floats:
        """Pivots of many clusters: percentile intervals, in units of the resamples' own spread."""
        spread = np.nanstd(self.moved, axis=0)
        return np.asarray(-self.moved / np.where(spread > 0, spread, np.nan))

    def studentised(self, error: Floats) -> Floats:
        """Pivots of few clusters: each resample's shift over its own two-way standard error; NaN where it has none."""
        variance = self._few_people() if len(self.cells.clusters) < self.cells.families_varying else self._few_families()
        errors = np.sqrt(np.maximum(variance, 0.0)) / self.cells.cases.sum()
        return np.asarray(self.moved / np.where(errors > 1e-6 * np.maximum(error, 1e-300), errors, np.nan))

    def _few_families(self) -> Floats:
        """Squared error x squared cases, exact between families.

        What people share between their families is weighted by how often families were drawn, people counting once each: they are the many
        side, over which the weights average out.
        """
        cells = self.cells
        weights = self.families * self.scale[cells.task].T
        between = np.zeros_like(self.moved)
        for f, factor_ in enumerate(cells.family_factor()):
            inside = np.flatnonzero(cells.family == f)
            total = self._total(self.people[:, cells.cluster[inside]].astype(np.float64), inside, int(cells.task[f]))
            between += factor_ * (self.families[:, f] * self.scale[cells.task[f]] ** 2)[:, None] * total**2
        shared = _quadratic(weights, cells.family, cells.cluster, cells.residual, len(cells.clusters))
        own = (self.families * self.scale[cells.task].T ** 2) @ _squares(cells.family, cells.residual, len(cells.families))
        both = between + factor(len(cells.clusters)) * shared - own
        return np.where(both > 0, both, between)

    def _few_people(self) -> Floats:
        """Squared error x squared cases, exact between people; families count once each, as people do above."""
        cells = self.cells
        people = self.people.astype(np.float64)
        between = np.zeros_like(self.moved)
        for p in range(len(cells.clusters)):
            total = np.zeros_like(self.moved)
            inside = np.flatnonzero(cells.cluster == p)
            for t in np.unique(cells.task[cells.family[inside]]):
                of_task = inside[cells.task[cells.family[inside]] == t]
                total += self.scale[t][:, None] * self._total(self.families[:, cells.family[of_task]], of_task, int(t))
            between += factor(len(cells.clusters)) * people[:, [p]] * total**2
        shared = _quadratic(people, cells.cluster, cells.family, cells.residual, len(cells.families))
        own = people @ _squares(cells.cluster, cells.residual, len(cells.clusters))
        both = between + shared - own
        return np.asarray(np.where(both > 0, both, between))

    def _total(self, weights: Floats, inside: Integers, task: int) -> Floats:
        """Residuals of some cells of one task about the resample's own mean, summed with `weights` (resamples, cells)."""
        total = np.zeros_like(self.moved)
        add_product(total, weights, self.cells.residual[inside])
        return np.asarray(total - self.shift[task] * (weights @ self.cells.cases[inside])[:, None])


def _squares(few: Integers, residual: Floats, count: int) -> Floats:
    """Squared residuals of cells summed within each of the few: (count, columns)."""
    squares = np.zeros((count, residual.shape[1]))
    np.add.at(squares, few, residual**2)
    return squares


def _quadratic(weights: Floats, few: Integers, many: Integers, residual: Floats, count: int) -> Floats:
    """For each of the many, the square of its residuals summed with the weights of the few: totals (resamples, columns)."""
    found = np.zeros((len(weights), residual.shape[1]))
    for column in range(residual.shape[1]):
        by_many = np.zeros((count, weights.shape[1]))
        by_many[many, few] = residual[:, column]
        found[:, column] = np.einsum("rf,rf->r", weights @ (by_many.T @ by_many), weights)
    return found
