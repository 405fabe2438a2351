"""Re-identification over a whole index: bulk products in float32, close calls in float64, bounded memory.

A distractor whose float32 score differs from the right person's by more than rounding can explain is counted as it is; the few others
are computed again row by row, so ranks and ties are exact and depend on neither threads nor blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from actors.index_file import CaptionIndex
from actors.nearest import error_bound
from engine.errors import InputError
from engine.metrics.memory import unit_rows
from engine.metrics.reidentification import Gallery, Ranks, gallery_mask, gallery_order, mean_of_best
from engine.prompting.retrieval import NEGLIGIBLE_NORM, cosines

QUERIES = 512
"""Prompts compared at once."""
CAPTIONS = 16384
"""Captions compared with them at once: 32 MB of products and 25 MB of vectors."""

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


def places_in_order(index: CaptionIndex, seed: int) -> Integers:
    """(p,) the positions of all people in the order in which galleries are filled."""
    return np.array([index.place(person) for person in gallery_order(index.people, seed)], np.int64)


def reidentify(
    index: CaptionIndex, queries: Array, persons: Sequence[str], gallery: Gallery, order: Integers, allowed: Flags | None
) -> Ranks:
    """`RetrievalActor.reidentify` for finite queries (q, d), with everyone in the gallery's order.

    Raises InputError for an unknown person or a mask of another length.
    """
    memory = _Memory(index, _usable(index, allowed))
    right = np.array([index.place(person) for person in persons], np.int64)
    counts = np.zeros((3, len(queries)), np.int64)
    order = order[memory.counts[order] > 0]
    for pairs, candidates in _audiences(index, right, gallery, order):
        for start in range(0, len(pairs), QUERIES):
            some = pairs[start : start + QUERIES]
            counts[:, some] = _counted(memory, queries[some], right[some], candidates, gallery.size)
    return Ranks(*counts)


def _usable(index: CaptionIndex, allowed: Flags | None) -> Flags:
    if allowed is None:
        return index.usable
    if allowed.shape != index.usable.shape or allowed.dtype != np.bool_:
        raise InputError(
            f"a mask of shape {allowed.shape} and type {allowed.dtype} was given for {len(index.usable)} captions.",
            field="allowed",
            remedy="Give one true or false for each caption, in the index's order.",
        )
    return index.usable & allowed


@dataclass(frozen=True)
class _Memory:
    """The captions that count."""

    index: CaptionIndex
    usable: Flags

    @cached_property
    def counts(self) -> Integers:
        """(p,) how many captions of each person count."""
        sums: Integers = np.concatenate([[0], np.cumsum(self.usable)])
        counts: Integers = sums[self.index.offsets[1:]] - sums[self.index.offsets[:-1]]
        return counts

    def rows(self, place: int) -> Integers:
        span = self.index.span(place)
        rows: Integers = np.flatnonzero(self.usable[span]) + span.start
        return rows

    def exact(self, query: Array, vectors: Array) -> float:
        return float(mean_of_best(cosines(query, vectors)))

    def vectors(self, place: int) -> Array:
        return self.index.vectors[self.rows(place)].astype(np.float64)


def _audiences(index: CaptionIndex, right: Integers, gallery: Gallery, order: Integers) -> list[tuple[Integers, Integers]]:
    """Groups of queries with those who may be their distractors, in gallery order; who of them is, the mask says."""
    numbers = index.cluster_numbers
    if gallery.alike is None:
        most = int(np.bincount(numbers).max())
        return [(np.arange(len(right)), order[: gallery.size - 1 + most])]
    audiences = []
    rank = np.full(len(index.people), len(order))
    rank[order] = np.arange(len(order))
    for place, pairs in _by_person(right):
        alike = np.array(sorted({index.place(person) for person in gallery.alike.get(index.people[place], ())}), np.int64)
        alike = alike[(rank[alike] < len(order)) & (numbers[alike] != numbers[place])]
        audiences.append((pairs, alike[np.argsort(rank[alike])][: gallery.size - 1]))
    return audiences


def _counted(memory: _Memory, queries: Array, right: Integers, candidates: Integers, size: int) -> Integers:
    """(3, q): distractors that score more, that score the same, and the gallery's size, 0 without a caption or a distractor."""
    numbers = memory.index.cluster_numbers
    taking_part = gallery_mask(numbers[candidates], numbers[right], size) & (memory.counts[right] > 0)[:, None]
    own = _own_scores(memory, queries, right)
    better, tied = np.zeros(len(queries), np.int64), np.zeros(len(queries), np.int64)
    narrow = unit_rows(queries, NEGLIGIBLE_NORM)[0].astype(np.float32)
    for start, stop in _blocks(memory.counts[candidates]):
        people, mask = candidates[start:stop], taking_part[:, start:stop]
        gap = _scores(memory, narrow, people) - own[:, None]
        close = mask & (np.abs(gap) <= error_bound(memory.index.dimension))
        better += (mask & ~close & (gap > 0)).sum(axis=1)
        for column in np.flatnonzero(close.any(axis=0)).tolist():
            vectors = memory.vectors(int(people[column]))
            for i in np.flatnonzero(close[:, column]).tolist():
                score = memory.exact(queries[i], vectors)
                better[i] += score > own[i]
                tied[i] += score == own[i]
    others = taking_part.sum(axis=1)
    return np.stack([better, tied, np.where(others > 0, 1 + others, 0)])


def _own_scores(memory: _Memory, queries: Array, right: Integers) -> Array:
    scores = np.zeros(len(queries))
    for place, pairs in _by_person(right):
        vectors = memory.vectors(place)
        for i in pairs.tolist():
            scores[i] = memory.exact(queries[i], vectors) if len(vectors) else 0.0
    return scores


def _by_person(right: Integers) -> list[tuple[int, Integers]]:
    """The people of some queries, each with the queries that are theirs."""
    if not len(right):
        return []
    order = np.argsort(right, kind="stable")
    starts = np.flatnonzero(np.diff(right[order], prepend=-1))
    return [(int(right[pairs[0]]), pairs) for pairs in np.split(order, starts[1:])]


def _blocks(counts: Integers) -> list[tuple[int, int]]:
    """Runs of people with at most `CAPTIONS` captions together (or one person)."""
    blocks, start, held = [], 0, 0
    for place, count in enumerate(counts.tolist()):
        if held and held + count > CAPTIONS:
            blocks.append((start, place))
            start, held = place, 0
        held += count
    return [*blocks, (start, len(counts))] if len(counts) else []


def _scores(memory: _Memory, queries: NDArray[np.float32], people: Integers) -> NDArray[np.float32]:
    """(q, b) in float32: everyone's score, people with equally many captions together."""
    scores = np.empty((len(queries), len(people)), np.float32)
    counts = memory.counts[people]
    for count in np.unique(counts).tolist():
        columns = np.flatnonzero(counts == count)
        rows = np.concatenate([memory.rows(int(people[column])) for column in columns])
        products = queries @ memory.index.vectors[rows].T
        scores[:, columns] = mean_of_best(products.reshape(len(queries), len(columns), count))
    return scores
