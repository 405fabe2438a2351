"""The ceiling of a person's score: each own caption scored with itself removed from C. It says how high a score can honestly be.

Nothing is decomposed per caption where it can be helped: GS comes from one inverse, clusters of all leave-one-out sets from one
batch of Lloyd's rounds, and every product from the person's one Gram matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.metrics.clusters import Labels, Mask, cluster_count, cluster_subsets
from engine.metrics.cp import NO_DIRECTION, literal_distances, proximity, unit_distances
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import Array, PersonMemory, unit_rows
from engine.metrics.novelty import CaptionGrams
from engine.metrics.person import caption_directions, reference_direction
from engine.metrics.vptt import EmbeddingParts, VpttScore, figures

_WELL_CONDITIONED = 1e-4
"""Smallest over largest eigenvalue of G above which its inverse keeps all the digits that a score needs."""


@dataclass(frozen=True, slots=True)
class Ceiling(VpttScore):
    """The mean score of the person's own captions, each scored with itself left out; `captions` says how many were scored."""

    captions: int = 0


def ceiling(memory: PersonMemory, definition: VpttDefinition) -> Ceiling:
    """The ceiling of one person (METRICS, GS and V).

    Equal to dropping each caption, preparing the person anew and scoring it. Captions without a word are not scored. Raises InputError
    where `prepare` does, and with code "no-ceiling" if no caption can be scored, as with a single caption and no summary.
    """
    table = leave_one_out_scores(memory, definition)
    if not len(table):
        raise InputError(
            "none can be scored with itself left out.",
            field="captions",
            remedy="Give the person at least two captions with text.",
            code="no-ceiling",
        )
    means: list[Any] = table.mean(axis=0).tolist()
    return Ceiling(*means, *[memory.pa_id, len(table)])


def leave_one_out_scores(memory: PersonMemory, definition: VpttDefinition) -> Array:
    """The table (n, 14) of `SCORE_FIGURES`, one row for each caption that can be scored without itself, in the memory's order."""
    rows, order = caption_directions(memory, definition)
    grams = CaptionGrams(memory.captions, definition.ngram)
    kept = np.array(order, dtype=np.intp)
    scored = np.array([index for index, words in enumerate(grams.words) if words], dtype=np.intp)
    present = kept[None, :] != scored[:, None]
    pa_mean, has_mean = _towards_mean(rows, kept, scored, present, definition)
    pa, usable = pa_mean, has_mean
    if memory.reference is not None:
        pa, usable = rows[scored] @ reference_direction(memory, rows[kept], definition), np.ones(len(scored), dtype=bool)
    scored, present = scored[usable], present[usable]
    gs, literal, unit = _spans(rows[kept], present, [memory.captions[index] for index in order], definition)
    novelty = np.array([grams.leave_one_out(index) for index in scored.tolist()]).reshape(-1, 2)
    return figures(EmbeddingParts(pa[usable], pa_mean[usable], gs, literal, unit), novelty, definition)


def leave_one_out_fidelity(gram: Array, tolerance: float = 1e-3) -> Array:
    """GS of each unit caption in the span of the others, (m,) from G (m, m): sqrt(1 - 1/(G^-1)_ii), without row i if G is singular."""
    if _invertible(gram, tolerance):
        return _closed_form(gram)
    return _without_row(gram, ~np.eye(len(gram), dtype=bool), np.zeros((len(gram), 0, len(gram))), tolerance)[0]


def _towards_mean(rows: Array, kept: Labels, scored: Labels, present: Mask, definition: VpttDefinition) -> tuple[Array, Mask]:
    """PA of each scored caption (n,) against the mean of the others, 0 where that has no direction, and whether it has one."""
    means = present / np.maximum(present.sum(axis=1, keepdims=True), 1) @ rows[kept]
    references, usable, _ = unit_rows(means, definition.zero_norm)
    return np.einsum("ij,ij->i", rows[scored], references), usable


def _spans(units: Array, present: Mask, texts: list[str], definition: VpttDefinition) -> tuple[Array, Array, Array]:
    """GS, cp-literal and cp-unit of each left-out caption, each (n,); a caption absent from no set is a zero vector.

    Args:
        units: (m, d) unit captions in canonical order, with their `texts`.
        present: (n, m), the captions that stay.
    """
    count, size = present.shape
    if not size or not count:
        return np.zeros(count), np.zeros(count), np.zeros(count)
    gram = units @ units.T
    labels = cluster_subsets(gram[None], present, _counts(present, texts, definition), definition.max_rounds)
    members = labels[:, None, :] == np.arange(labels.max() + 1)[:, None]
    sizes = members.sum(axis=2)
    weights = members / np.maximum(sizes, 1)[:, :, None]
    products = weights @ gram
    squares = np.einsum("nkm,nkm->nk", products, weights)
    towards = np.einsum("nkm,nm->nk", products, ~present)
    cosines = towards / np.sqrt(np.where(squares > NO_DIRECTION, squares, np.inf))
    if _invertible(gram, definition.tolerance):
        gs = np.where(present.all(axis=1), 0.0, np.einsum("m,nm->n", _closed_form(gram), ~present))
        literal = gs[:, None] ** 2 - 2 * towards + squares
    else:
        gs, literal = _without_row(gram, present, weights, definition.tolerance)
    exists = sizes > 0
    return (
        gs,
        proximity(np.where(exists, literal, np.inf)),
        proximity(np.where(exists, unit_distances(cosines), np.inf)),
    )


def _counts(present: Mask, texts: list[str], definition: VpttDefinition) -> Labels:
    """K of each leave-one-out set."""
    return np.array(
        [
            cluster_count(int(stays.sum()), len({text for text, stay in zip(texts, stays, strict=True) if stay}), definition.max_clusters)
            for stays in present
        ],
        dtype=np.intp,
    )


def _invertible(gram: Array, tolerance: float) -> bool:
    """Whether every leave-one-out set has full rank, by a margin: removing a row never makes G worse conditioned."""
    values = np.linalg.eigvalsh(gram)
    return bool(values[0] > max(_WELL_CONDITIONED, tolerance**2) * values[-1])


def _closed_form(gram: Array) -> Array:
    """sqrt(1 - 1/(G^-1)_ii), (m,)."""
    squares = 1.0 - 1.0 / np.diagonal(np.linalg.inv(gram))
    return np.sqrt(np.clip(squares, 0.0, 1.0))


def _without_row(gram: Array, present: Mask, weights: Array, tolerance: float) -> tuple[Array, Array]:
    """GS (n,) and literal distances (n, K) with a decomposition for each set, where G is singular.

    An absent caption's row and column are 0, so that its direction falls to the tolerance; coordinates of a combination w of captions
    along an eigenvector v of G are sqrt(lambda) v.w, and of a left-out caption with products a they are v.a/sqrt(lambda).
    """
    both = present[:, :, None] & present[:, None, :]
    values, vectors = np.linalg.eigh(np.where(both, gram, 0.0))
    kept = values > tolerance**2 * values[:, -1:]
    lengths = np.sqrt(np.where(kept, values, 1.0))
    products = np.where(present, ~present @ gram, 0.0)
    y = np.where(kept, np.einsum("nmr,nm->nr", vectors, products) / lengths, 0.0)
    means = np.where(kept[:, None, :], weights @ vectors * lengths[:, None, :], 0.0)
    literal = np.concatenate([literal_distances(y[n : n + 1], means[n]) for n in range(len(y))])
    return np.sqrt(np.minimum(np.einsum("nr,nr->n", y, y), 1.0)), literal
