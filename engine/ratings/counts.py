"""Verdicts counted by judge, ordered pair and result within each cluster: all that a fit or a bootstrap round reads.

A round is a weighted sum of these counts, whatever the number of verdicts behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from engine.ratings.battles import Battles
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Flags, Floats, Integers

RESULTS = 3
_ROWS_AT_ONCE = 1_000_000
_DENSE_AT_ONCE = 2_500_000  # 20 MB as float64
_ROUNDS_AT_ONCE = 250
_SPARSE_PAYS = 8
"""A sparse product takes about this many times as long for each entry as a dense one."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each judge gave each result on each ordered pair of entrants, in each cluster.

    `judge`, `first` and `second` (cells,) index the names. `per_cluster` is a sparse (clusters, 3 cells) array of float64: column
    3 cell + result.
    """

    entrants: tuple[str, ...]
    judges: tuple[str, ...]
    judge: Integers
    first: Integers
    second: Integers
    per_cluster: Any

    @property
    def totals(self) -> Floats:
        """(cells, 3) over all clusters."""
        return np.asarray(self.per_cluster.sum(axis=0), dtype=np.float64).reshape(-1, RESULTS)

    def of_judges(self, chosen: Flags) -> Counts:
        """The counts of the judges that `chosen` (judges,) names, without the others' names."""
        kept = tuple(name for name, keep in zip(self.judges, chosen, strict=True) if keep)
        number = np.cumsum(chosen) - 1
        cells = np.asarray(chosen)[self.judge]
        return Counts(
            self.entrants,
            kept,
            number[self.judge[cells]],
            self.first[cells],
            self.second[cells],
            self.per_cluster[:, np.flatnonzero(np.repeat(cells, RESULTS))],
        )

    def of_entrants(self, chosen: Flags) -> Counts:
        """The counts of verdicts between entrants that `chosen` (entrants,) names, without the others' names."""
        kept = tuple(name for name, keep in zip(self.entrants, chosen, strict=True) if keep)
        number = np.cumsum(chosen) - 1
        cells = np.asarray(chosen)[self.first] & np.asarray(chosen)[self.second]
        return Counts(
            kept,
            self.judges,
            self.judge[cells],
            number[self.first[cells]],
            number[self.second[cells]],
            self.per_cluster[:, np.flatnonzero(np.repeat(cells, RESULTS))],
        )

    def compared(self) -> Counts:
        """The same without the entrants that no verdict is about."""
        seen = np.zeros(len(self.entrants), dtype=np.bool_)
        seen[self.first] = seen[self.second] = True
        return self.of_entrants(seen)


def count(battles: Battles) -> Counts:
    """Count verdicts, a million rows at a time."""
    entrants, judges = len(battles.entrants), len(battles.judges)
    cells = judges * entrants * entrants
    shape = (len(battles.clusters), cells * RESULTS)
    counted = sparse.csr_array(shape, dtype=np.float64)
    for start in range(0, len(battles), _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        cell = (battles.judge[some].astype(np.int64) * entrants + battles.first[some]) * entrants + battles.second[some]
        column = cell * RESULTS + battles.result[some]
        counted = counted + sparse.coo_array((np.ones(len(column)), (battles.cluster[some], column)), shape=shape).tocsr()
    found = np.flatnonzero(np.asarray(counted.sum(axis=0)).reshape(cells, RESULTS).sum(axis=1))
    columns = (found[:, None] * RESULTS + np.arange(RESULTS)).ravel()
    pair = found % (entrants * entrants)
    return Counts(
        battles.entrants, battles.judges, found // (entrants * entrants), pair // entrants, pair % entrants, counted[:, columns].tocsr()
    )


def resampled_sums(bootstrap: ClusterBootstrap, per_cluster: Any) -> Floats:
    """The columns of a sparse (clusters, columns) array totalled in each resample: (resamples, columns)."""
    clusters, columns = per_cluster.shape
    if per_cluster.nnz * _SPARSE_PAYS >= clusters * columns:
        totals = np.empty((bootstrap.resamples, columns))
        step = max(1, _DENSE_AT_ONCE // max(1, clusters))
        by_column = per_cluster.tocsc()
        for start in range(0, columns, step):
            totals[:, start : start + step] = bootstrap.totals(by_column[:, start : start + step].toarray())
        return totals
    turned = per_cluster.T.tocsr()
    parts = [
        (turned @ np.ascontiguousarray(bootstrap.weights[start : start + _ROUNDS_AT_ONCE].T, dtype=np.float64)).T
        for start in range(0, bootstrap.resamples, _ROUNDS_AT_ONCE)
    ]
    return np.concatenate(parts)
