"""Topic clusters of a person's captions: deterministic, and the same in whatever order the captions come.

Everything runs on the Gram matrix of the unit captions, so a round costs K x m x m whatever the embedding's dimension, and many
subsets of one person's captions (each caption left out in turn) are clustered in one go. Rule `farthest-first-lloyd-1` (METRICS, CP):

* captions sorted by sha256 of their text; start with the caption nearest the mean, then repeatedly the one farthest from all starts;
* Lloyd's rounds with Euclidean distance until nothing moves, at most 100; an empty cluster takes the caption farthest from its centre;
* distances that differ by less than 1e-12 are equal, and the earlier caption or cluster wins: rounding never decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.keys import sha256
from engine.metrics.memory import Array

TIE = 1e-12
"""Squared distances closer than this are equal."""

Labels = NDArray[np.intp]
Mask = NDArray[np.bool_]


def canonical_order(captions: Sequence[str], vectors: Array) -> list[int]:
    """The order of captions that clustering uses: by sha256 of the text, equal texts by their vector's bytes."""
    # A lone surrogate is a legal Python string; it must not stop a score.
    digests = [sha256(caption.encode("utf-8", "surrogatepass")) for caption in captions]
    if len(set(digests)) == len(digests):
        return sorted(range(len(captions)), key=digests.__getitem__)
    return sorted(range(len(captions)), key=lambda index: (digests[index], vectors[index].tobytes()))


def cluster_count(captions: int, distinct: int, most: int = 8) -> int:
    """K = min(most, distinct captions, max(1, round(sqrt(m/2)))); 0 without captions."""
    return min(most, distinct, max(1, round(math.sqrt(captions / 2))))


def cluster(gram: Array, count: int, rounds: int = 100) -> Labels:
    """The cluster of each caption, (m,), from the Gram matrix (m, m) of unit captions in canonical order."""
    size = len(gram)
    labels: Labels = cluster_subsets(gram[None], np.ones((1, size), dtype=bool), np.array([count]), rounds)[0]
    return labels


def cluster_subsets(grams: Array, present: Mask, counts: Labels, rounds: int = 100) -> Labels:
    """Clusters of many sets of captions at once: labels (b, m), -1 where a caption is absent.

    Args:
        grams: (b, m, m) inner products of unit captions in canonical order; (1, m, m) if the sets are subsets of one person's.
        present: (b, m), which captions each subset holds.
        counts: (b,) clusters wanted, 0 for an empty subset; fewer come back where captions coincide.
    """
    if not present.size:
        return np.full(present.shape, -1, dtype=np.intp)
    grams = np.broadcast_to(grams, (len(present), *grams.shape[1:]))
    diagonals = np.diagonal(grams, axis1=1, axis2=2)
    weights = _farthest_first(grams, diagonals, present, counts)
    labels = np.full(present.shape, -1, dtype=np.intp)
    for _ in range(rounds):
        distances = _distances(grams, diagonals, weights)
        moved = np.where(present, _first_least(distances, axis=1), -1)
        members = _members(moved, weights.shape[1])
        wanted: Mask = np.any(weights, axis=2)
        if np.any(wanted & ~members.any(axis=2)):
            fill_empty(moved, distances, wanted)
            members = _members(moved, weights.shape[1])
        if np.array_equal(moved, labels):
            break
        labels = moved
        weights = members / np.maximum(members.sum(axis=2, keepdims=True), 1)
    return labels


def centroid_weights(labels: Labels) -> Array:
    """W (K, m) such that W @ rows are the clusters' means, for the labels (m,) of one set of captions; empty clusters are left out."""
    members = labels[None, :] == np.arange(labels.max(initial=-1) + 1)[:, None]
    members = members[members.any(axis=1)]
    weights: Array = members / members.sum(axis=1, keepdims=True)
    return weights


def _farthest_first(grams: Array, diagonals: Array, present: Mask, counts: Labels) -> Array:
    """Starting centres as weights (b, K, m): one caption each; all 0 for a cluster that a subset does not have."""
    subsets, size = present.shape
    every = np.arange(subsets)
    weights = np.zeros((subsets, max(1, int(counts.max())), size))
    mean = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    to_mean = _distances(grams, diagonals, mean[:, None, :])[:, 0, :]
    chosen = _first_least(np.where(present, to_mean, np.inf), axis=1)
    weights[every, 0, chosen] = counts > 0
    nearest = np.where(present, np.inf, -np.inf)
    for k in range(1, weights.shape[1]):
        nearest = np.minimum(nearest, diagonals + diagonals[every, chosen, None] - 2 * grams[every, chosen])
        chosen = _first_least(-nearest, axis=1)
        # A caption that coincides with a start would open a second cluster at the same place.
        weights[every, k, chosen] = (k < counts) & (nearest[every, chosen] > TIE)
    return weights


def _distances(grams: Array, diagonals: Array, weights: Array) -> Array:
    """Squared distances (b, K, m) of every caption from centres given as weights over captions; infinite for a centre without weights."""
    products = weights @ grams
    squares = np.einsum("bkm,bkm->bk", products, weights)
    # Without this a missing centre would sit at the origin and attract captions.
    squares = np.where(weights.any(axis=2), squares, np.inf)
    distances: Array = squares[:, :, None] - 2 * products + diagonals[:, None, :]
    return distances


def _first_least(values: Array, axis: int) -> Labels:
    """The first index whose value ties with the least one."""
    first: Labels = np.argmax(values <= values.min(axis=axis, keepdims=True) + TIE, axis=axis)
    return first


def _members(labels: Labels, count: int) -> Mask:
    """(b, K, m): whether a caption belongs to a cluster."""
    members: Mask = labels[:, None, :] == np.arange(count)[:, None]
    return members


def fill_empty(labels: Labels, distances: Array, wanted: Mask) -> None:
    """Give each empty cluster, in place and in order, the caption farthest from its centre that does not leave another one empty."""
    for b in range(len(labels)):
        for k in np.flatnonzero(wanted[b]):
            if (labels[b] == k).any():
                continue
            sizes = np.bincount(labels[b][labels[b] >= 0], minlength=wanted.shape[1])
            spare = (labels[b] >= 0) & (sizes[labels[b]] > 1)
            own = distances[b, labels[b], np.arange(labels.shape[1])]
            if spare.any():
                labels[b, _first_least(np.where(spare, -own, np.inf)[None], axis=1)[0]] = k
