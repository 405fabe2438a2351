"""Cases crossed by people and query families: residuals summed in cells, and the two-way cluster-robust variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.estimates import Flags, Floats, Integers, cluster_sums


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where each case belongs: (cases,) the index of its cluster of people, and of its query family, both among those of the run."""

    cluster: Integers
    family: Integers

    def of(self, cases: Flags) -> Crossing:
        """The chosen cases."""
        return Crossing(self.cluster[cases], self.family[cases])


@dataclass(frozen=True, slots=True)
class Cells:
    """Residuals of one group of cases, summed in each cell of cluster x family.

    People and families are numbered from 0 without gaps: `clusters` and `families` are their indices among those of the run, `task`
    (families,) the place of each family's task among `tasks`. Residuals are taken from the mean of the case's own task, since tasks are
    the same in every replication and only families within them vary: `residual` (cells, columns), `cases` (cells,).
    """

    cluster: Integers
    family: Integers
    residual: Floats
    cases: Floats
    clusters: Integers
    families: Integers
    task: Integers
    tasks: int

    @property
    def families_varying(self) -> int:
        """Families less one for each task but one: 1 + the degrees of freedom between families."""
        return len(self.families) - self.tasks + 1

    def error(self) -> Floats:
        """(columns,) standard errors of the means over all cases.

        V(people) + V(families) - V(cells), each the sum of squared residual sums over the squared number of cases (Cameron, Gelbach and
        Miller 2011), with G / (G - 1) for the number of clusters and of cells, and the correction of the delete-one jackknife for
        families, which are few and of unequal size (Bell and McCaffrey 2002). Where that is not positive, the larger of the first two.
        """
        by_cluster = cluster_sums(self.cluster, self.residual, len(self.clusters))
        by_family = cluster_sums(self.family, self.residual, len(self.families))
        people = factor(len(self.clusters)) * (by_cluster**2).sum(axis=0)
        families = (self.family_factor()[:, None] * by_family**2).sum(axis=0)
        cells = (self.cell_factor()[:, None] * self.residual**2).sum(axis=0)
        both = people + families - cells
        return np.asarray(np.sqrt(np.where(both > 0, both, np.maximum(people, families))) / self.cases.sum())

    def family_factor(self) -> Floats:
        """(families,) (F - 1) / F over (1 - the family's share of its task's cases) squared, F the families of the task."""
        cases = np.bincount(self.family, weights=self.cases)
        share = cases / np.bincount(self.task, weights=cases)[self.task]
        families = np.bincount(self.task)[self.task]
        rest = np.where(families > 1, 1 - share, 1.0)
        return np.asarray(np.where(families > 1, (families - 1) / families / rest**2, 1.0))

    def cell_factor(self) -> Floats:
        """(cells,) C / (C - 1) for the C cells of each one's task."""
        task = self.task[self.family]
        return factor(np.bincount(task, minlength=self.tasks))[task]


def cells_of(where: Crossing, task_of_family: Integers, values: Floats) -> Cells:
    """Residuals of complete `values` (cases, columns) in cells; `task_of_family` (families of the run,) names each family's task."""
    clusters, cluster = np.unique(where.cluster, return_inverse=True)
    families, family = np.unique(where.family, return_inverse=True)
    tasks, task = np.unique(task_of_family[families], return_inverse=True)
    of_case = task[family]
    means = cluster_sums(of_case, values, len(tasks)) / np.bincount(of_case)[:, None]
    residual = values - means[of_case]
    code, cell = np.unique(cluster * len(families) + family, return_inverse=True)
    residual = cluster_sums(cell, residual, len(code)) if len(code) < len(values) else residual[np.argsort(cell)]
    cases = np.bincount(cell).astype(np.float64)
    return Cells(code // len(families), code % len(families), residual, cases, clusters, families, task, len(tasks))


def factor(clusters: int | Integers) -> Floats:
    """G / (G - 1); 1 for a single cluster, whose residuals sum to 0."""
    count = np.asarray(clusters, dtype=np.float64)
    return np.asarray(count / np.where(count > 1, count - 1, count))
