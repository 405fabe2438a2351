"""People who are nearly the same: at least half of one's captions have a twin (cosine >= .95) among the other's.

All pairs of captions are looked at, through a bound instead of the whole vectors. With P a projector of rank r, by Cauchy-Schwarz
on what P leaves over,

    cos(x, y) <= (Px).(Py) + |x - Px| |y - Py|

so unit vectors of r + 1 numbers never miss a twin, and only the pairs that pass are computed in full. If half of a person's m
captions have a twin then so has one of any floor(m/2) + 1, so only those are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

TWIN = 0.95
SHARE = 0.5
RANK = 64
"""Directions of the bound; more are slower and let fewer pairs pass."""
SLACK = 1e-4
"""More than float32 rounds in the bound."""
BLOCK = 2048
"""Captions tried at once, and 8 times as many against which: 128 MB."""
SAMPLE = 20_000

Rows = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two people by position, `first` < `second`, and the share of each one's captions that have a twin in the other's."""

    first: int
    second: int
    first_share: float
    second_share: float


def near_duplicates(
    rows: Rows, offsets: NDArray[Any], clusters: NDArray[Any], *, twin: float = TWIN, share: float = SHARE
) -> list[NearDuplicate]:
    """All pairs of people of other clusters of whom either has `share` of the captions twinned in the other, by position.

    `rows` (n, d) unit float32 (a row of zeros has no twin); person i has rows `offsets[i]:offsets[i + 1]` and cluster `clusters[i]`.
    Memory does not grow with n but for the bound's n x 65 numbers.
    """
    bound = _bounding(rows)
    found = []
    for first, second in _candidates(bound, offsets, clusters, twin, share):
        one, other = (rows[offsets[i] : offsets[i + 1]].astype(np.float64) for i in (first, second))
        twins = _cosines(one, other) >= twin
        shares = float(twins.any(axis=1).mean()), float(twins.any(axis=0).mean())
        if max(shares) >= share:
            found.append(NearDuplicate(first, second, *shares))
    return found


def _cosines(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.linalg.norm(one, axis=1)[:, None] * np.linalg.norm(other, axis=1)[None, :]
    result: NDArray[np.float64] = np.where(norms > 0, one @ other.T / np.where(norms > 0, norms, 1), 0.0)
    return result


def _bounding(rows: Rows) -> Rows:
    """(n, r + 1): each row's part along the r strongest directions, and the length of what is left, never less than it is."""
    n, dimension = rows.shape
    if dimension <= RANK:
        return rows
    sample = rows[:: max(1, n // SAMPLE)].astype(np.float64)
    basis = np.linalg.eigh(sample.T @ sample)[1][:, -RANK:]
    bound = np.empty((n, RANK + 1), np.float32)
    for start in range(0, n, BLOCK):
        block = rows[start : start + BLOCK].astype(np.float64)
        inside = block @ basis
        left = np.square(block).sum(axis=1) - np.square(inside).sum(axis=1)
        bound[start : start + BLOCK, :RANK] = inside
        # Rounding may have shortened it, and a shorter rest would not be a bound.
        bound[start : start + BLOCK, RANK] = np.sqrt(np.maximum(left, 0) + 1e-6)
    return bound


def _candidates(bound: Rows, offsets: NDArray[Any], clusters: NDArray[Any], twin: float, share: float) -> Iterator[tuple[int, int]]:
    """Pairs (lower, higher) that may be near duplicates, each once, sorted by the person they were found from."""
    people = len(offsets) - 1
    counts = np.diff(offsets)
    owner = np.repeat(np.arange(people), counts)
    within = np.arange(len(owner)) - np.repeat(offsets[:-1], counts)
    tried = np.flatnonzero(within < (counts - np.ceil(counts * share).astype(np.int64) + 1)[owner])
    met: set[tuple[int, int]] = set()
    for start in range(0, len(tried), BLOCK):
        block = tried[start : start + BLOCK]
        codes = [_met(bound, block, lower, owner, people, twin) for lower in range(0, len(owner), 8 * BLOCK)]
        for code in np.unique(np.concatenate(codes)).tolist():
            one, other = divmod(code, people)
            pair = (min(one, other), max(one, other))
            if clusters[one] != clusters[other] and pair not in met:
                met.add(pair)
                yield pair


def _met(bound: Rows, block: NDArray[Any], lower: int, owner: NDArray[Any], people: int, twin: float) -> NDArray[np.int64]:
    """The pairs of people, as one number each, with a caption in `block` and one from `lower` on that may be twins."""
    close = bound[block] @ bound[lower : lower + 8 * BLOCK].T >= twin - SLACK
    mine, theirs = np.nonzero(close)
    one, other = owner[block[mine]], owner[lower + theirs]
    pairs: NDArray[np.int64] = np.unique((one * people + other)[one != other])
    return pairs
