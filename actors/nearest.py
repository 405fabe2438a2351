"""The k rows of largest cosine, exact: FAISS proposes in float32, float64 decides, ties go to the lower row.

A product in float32 depends on where in a block a row lies, so equal rows get unequal scores, and a cut at k may fall among equals.
Therefore more than k are asked for and their cosines computed anew, each row by itself (`engine.prompting.retrieval.cosines`). With the
error of any float32 sum bounded by d x 2^-24, the k-th cosine proves that no row left out can be better; where it does not (more
equals than the margin, or many rows ruled out) the query scans all rows, keeping whatever the bound does not exclude.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.metrics.memory import unit_rows
from engine.prompting.retrieval import NEGLIGIBLE_NORM, cosines

MARGIN = 8
MOST_FETCHED = 1024
"""A query that needs more candidates scans: a GPU gives 2,048 at most, and selecting them costs more than comparing."""
QUERIES = 1024
"""Queries searched at once."""
BLAS_FROM = 4
"""Queries from which FAISS multiplies matrices instead of scanning for each query by itself. Its own default is some hundreds: with 300,000
rows of 384 numbers and 256 queries on one core of an EPYC that took 8 times as long.
"""
SCAN_QUERIES, SCAN_ROWS = 128, 16384
"""Queries and rows compared at once in a scan: 8 MB of scores."""

Rows = NDArray[np.float32]
Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def error_bound(dimension: int) -> float:
    """The most by which a float32 inner product of unit vectors differs from the exact one, roundings of the query and of sums included."""
    return (dimension + 8) * 2.0**-24


class Proposer(Protocol):
    """Whatever finds the rows of largest inner product in float32."""

    def propose(self, queries: Rows, k: int) -> tuple[Rows, Integers]:
        """Scores (q, k) and rows (q, k) for queries (q, d)."""
        ...

    def close(self) -> None:
        """Let go of copies and scratch memory."""
        ...


class CpuProposer:
    """FAISS's own flat search on the mapped rows themselves, without an index that would copy them. Its settings are the process's."""

    def __init__(self, rows: Rows, threads: int) -> None:
        self._faiss, self._rows, self._threads = _faiss(), rows, threads

    def propose(self, queries: Rows, k: int) -> tuple[Rows, Integers]:
        if self._faiss.omp_get_max_threads() != self._threads:
            self._faiss.omp_set_num_threads(self._threads)
        self._faiss.cvar.distance_compute_blas_threshold = BLAS_FROM * self._rows.shape[1]
        scores, found = self._faiss.knn(queries, self._rows, k, metric=self._faiss.METRIC_INNER_PRODUCT)
        return scores, found

    def close(self) -> None:
        """Nothing is held."""


class GpuProposer:
    """The same search by `faiss-gpu`: one copy of the rows on the first device, and scratch memory of a size that is said."""

    def __init__(self, rows: Rows, scratch_bytes: int) -> None:
        faiss = _faiss()
        self._resources = faiss.StandardGpuResources()
        self._resources.setTempMemory(scratch_bytes)
        self._index: Any = faiss.GpuIndexFlatIP(self._resources, rows.shape[1])
        for start in range(0, len(rows), SCAN_ROWS):
            self._index.add(rows[start : start + SCAN_ROWS])

    def propose(self, queries: Rows, k: int) -> tuple[Rows, Integers]:
        scores, found = self._index.search(queries, k)
        return scores, found

    def close(self) -> None:
        self._index = self._resources = None


def gpu_present() -> bool:
    """Whether the installed FAISS sees a GPU; the one for CPUs never does. Raises ModelError without FAISS."""
    return int(_faiss().get_num_gpus()) > 0


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ModelError(
            "FAISS is not installed.",
            remedy="Run `pip install 'mien[laptop]'`, or 'mien[gpu]' on a GPU node.",
            code="faiss-missing",
        ) from error
    return faiss


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    """A query's best rows so far: cosines in falling order, equals by row."""

    cosines: Array
    rows: Integers

    def merged(self, cosines: Array, rows: Integers, k: int) -> _Best:
        values, places = np.concatenate([self.cosines, cosines]), np.concatenate([self.rows, rows])
        order = np.lexsort((places, -values))[:k]
        return _Best(values[order], places[order])


_NOTHING = _Best(np.zeros(0), np.zeros(0, np.int64))


class Nearest:
    """Exact nearest rows of unit `rows` (n, d) float32; those at `flat`, rows of zeros, are never found."""

    def __init__(self, rows: Rows, flat: Integers, proposer: Proposer) -> None:
        self._rows, self._flat, self._proposer = rows, flat, proposer
        self._bound = error_bound(rows.shape[1])
        self.scans = 0
        """Queries so far that had to look at every row."""

    def find(self, queries: Array, k: int, banned: Sequence[Integers]) -> tuple[Array, Integers]:
        """Cosines (q, k) and rows (q, k) of the k best for finite queries (q, d), best first; NaN and -1 where there are fewer.

        `banned` holds for each query the rows it must not find, sorted.
        """
        values, places = np.full((len(queries), k), np.nan), np.full((len(queries), k), -1, np.int64)
        for start in range(0, len(queries), QUERIES):
            block = slice(start, start + QUERIES)
            for i, best in enumerate(self._found(queries[block], k, banned[block]), start):
                values[i, : len(best.rows)], places[i, : len(best.rows)] = best.cosines, best.rows
        return values, places

    def _found(self, queries: Array, k: int, banned: Sequence[Integers]) -> list[_Best]:
        best: list[_Best | None] = [None] * len(queries)
        wanted = np.array([k + MARGIN + len(rows) for rows in banned], np.int64)
        light = np.flatnonzero(wanted <= MOST_FETCHED)
        if len(light) and len(self._rows):
            fetched = min(int(wanted[light].max()), len(self._rows))
            scores, rows = self._proposer.propose(_narrow(queries[light]), fetched)
            for i, score, row in zip(light.tolist(), scores, rows, strict=True):
                best[i] = self._proven(queries[i], k, score, row.astype(np.int64), banned[i])
        left = [i for i, each in enumerate(best) if each is None]
        self.scans += len(left)
        for start in range(0, len(left), SCAN_QUERIES):
            some = left[start : start + SCAN_QUERIES]
            for i, found in zip(some, self._scanned(queries[some], k, [banned[i] for i in some]), strict=True):
                best[i] = found
        return [each for each in best if each is not None]

    def _proven(self, query: Array, k: int, scores: Rows, rows: Integers, banned: Integers) -> _Best | None:
        """The best of what was proposed, or None if something that was not could belong to them."""
        exact = cosines(query, self._rows[rows].astype(np.float64))
        if np.abs(exact - scores).max(initial=0.0) > self._bound:
            return None  # less precise than float32 (a GPU's tensor cores)
        kept = ~(_among(rows, banned) | _among(rows, self._flat))
        best = _NOTHING.merged(exact[kept], rows[kept], k)
        everything = len(rows) == len(self._rows)
        proven = len(best.rows) == k and best.cosines[-1] > float(scores.min()) + self._bound
        return best if everything or proven else None

    def _scanned(self, queries: Array, k: int, banned: Sequence[Integers]) -> list[_Best]:
        best = [_NOTHING] * len(queries)
        narrow = _narrow(queries)
        for start in range(0, len(self._rows), SCAN_ROWS):
            block = self._rows[start : start + SCAN_ROWS]
            scores = narrow @ block.T
            scores[:, _inside(self._flat, start, len(block))] = -np.inf
            for i, score in enumerate(scores):
                score[_inside(banned[i], start, len(block))] = -np.inf
                near = np.flatnonzero(score >= self._threshold(score, best[i], k))
                if len(near):
                    best[i] = best[i].merged(cosines(queries[i], block[near].astype(np.float64)), near + start, k)
        return best

    def _threshold(self, scores: Rows, best: _Best, k: int) -> float:
        """The score that a row of this block needs at least to be among the best k."""
        least = float(np.finfo(np.float32).min)  # above the -inf of what is banned
        if len(scores) > k:
            least = max(least, float(np.partition(scores, -k)[-k]) - 2 * self._bound)
        if len(best.rows) == k:
            least = max(least, float(best.cosines[-1]) - self._bound)
        return least


def _narrow(queries: Array) -> Rows:
    return unit_rows(queries, NEGLIGIBLE_NORM)[0].astype(np.float32)


def _among(rows: Integers, sorted_rows: Integers) -> NDArray[np.bool_]:
    """Which of `rows` stand in a sorted array."""
    if not len(sorted_rows):
        return np.zeros(len(rows), np.bool_)
    places = np.minimum(np.searchsorted(sorted_rows, rows), len(sorted_rows) - 1)
    found: NDArray[np.bool_] = sorted_rows[places] == rows
    return found


def _inside(sorted_rows: Integers, start: int, length: int) -> Integers:
    """Those of a sorted array that lie in a block, counted from its start."""
    low, high = np.searchsorted(sorted_rows, (start, start + length))
    return sorted_rows[low:high] - start
