"""A person prepared for scoring: everything that does not depend on the prompt, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.metrics.clusters import Labels, canonical_order, centroid_weights, cluster_count, cluster_subsets
from engine.metrics.cp import unit_centroids
from engine.metrics.definition import VpttDefinition
from engine.metrics.fidelity import span_factors
from engine.metrics.memory import Array, PersonMemory, unit_rows
from engine.metrics.novelty import CaptionGrams


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """What scoring needs of a person.

    Everything about the embeddings is a combination of products with the captions: `units` (m, d) are the unit captions,
    `combinations` (m, r + K) turn products with them into r Gram-Schmidt coordinates and K cosines with the cluster means.
    `literal_centroids` (K, r) are the clusters' mean coordinates, `reference` (d,) is what PA compares with, `mean_caption` (d,) the
    direction of the mean caption, 0 if it has none.
    """

    memory: PersonMemory
    units: Array
    reference: Array
    mean_caption: Array
    combinations: Array
    rank: int
    literal_centroids: Array
    grams: CaptionGrams


def prepare(memory: PersonMemory, definition: VpttDefinition) -> Person:
    """A person ready for scoring.

    Raises InputError, code "non-finite-memory" if an embedding holds NaN or infinity, "no-reference" if PA has nothing to compare with.
    """
    person = prepare_all([memory], definition)[0]
    if isinstance(person, InputError):
        raise person
    return person


def prepare_all(memories: Sequence[PersonMemory], definition: VpttDefinition) -> list[Person | InputError]:
    """Each person as `prepare` makes it, or the error it would raise; people with equally many captions share their matrix calls."""
    people: dict[int, Person | InputError] = {}
    alike: dict[tuple[int, int, int], list[int]] = {}
    oriented: dict[int, _Oriented] = {}
    for index, memory in enumerate(memories):
        try:
            oriented[index] = _orient(memory, definition)
        except InputError as error:
            people[index] = error
        else:
            alike.setdefault((*oriented[index].units.shape, oriented[index].clusters), []).append(index)
    for indices in alike.values():
        people.update(zip(indices, _decompose([oriented[index] for index in indices], definition), strict=True))
    return [people[index] for index in range(len(memories))]


@dataclass(frozen=True, slots=True, eq=False)
class _Oriented:
    """A person's unit captions (m, d) in canonical order, the number of clusters they ask for, and the PA reference (d,)."""

    memory: PersonMemory
    units: Array
    clusters: int
    reference: Array


def _orient(memory: PersonMemory, definition: VpttDefinition) -> _Oriented:
    rows, order = caption_directions(memory, definition)
    units = rows[order]
    distinct = len({memory.captions[index] for index in order})
    clusters = cluster_count(len(units), distinct, definition.max_clusters)
    return _Oriented(memory, units, clusters, reference_direction(memory, units, definition))


def _decompose(people: Sequence[_Oriented], definition: VpttDefinition) -> list[Person]:
    """People with equally many captions and clusters, one matrix call for all of them."""
    units = np.stack([person.units for person in people])
    grams = units @ units.transpose(0, 2, 1)
    counts = np.array([person.clusters for person in people])
    labels: Labels = cluster_subsets(grams, np.ones(units.shape[:2], dtype=bool), counts, definition.max_rounds)
    prepared = []
    for b, factor in enumerate(span_factors(grams, definition.tolerance)):
        weights = centroid_weights(labels[b])
        products = weights @ grams[b]
        prepared.append(
            Person(
                memory=people[b].memory,
                units=people[b].units,
                reference=people[b].reference,
                mean_caption=mean_direction(people[b].units, definition),
                combinations=np.concatenate([factor, unit_centroids(weights, products).T], axis=1),
                rank=factor.shape[1],
                literal_centroids=products @ factor,
                grams=CaptionGrams(people[b].memory.captions, definition.ngram),
            )
        )
    return prepared


def caption_directions(memory: PersonMemory, definition: VpttDefinition) -> tuple[Array, list[int]]:
    """Captions as unit rows (m, d), 0 without direction, and the canonical order of those that have one. InputError for NaN or infinity."""
    rows, nonzero, finite = unit_rows(memory.vectors, definition.zero_norm)
    if not finite.all():
        raise InputError(
            f"person {memory.key}: the embedding of caption {int(np.argmin(finite))} holds NaN or infinity",
            field="vectors",
            remedy="Embed the captions again.",
            code="non-finite-memory",
        )
    kept = np.flatnonzero(nonzero).tolist()
    texts = [memory.captions[index] for index in kept]
    order = canonical_order(texts, rows if len(kept) == len(rows) else rows[kept])
    return rows, [kept[position] for position in order]


def reference_direction(memory: PersonMemory, units: Array, definition: VpttDefinition) -> Array:
    """What PA compares with, a unit vector (d,): the summary, else the mean of the unit captions. InputError without direction."""
    candidate = memory.reference if memory.reference is not None else mean_direction(units, definition)
    reference, nonzero, finite = unit_rows(candidate[None], definition.zero_norm)
    if not finite[0]:
        raise InputError(
            f"person {memory.key}: the summary's embedding holds NaN or infinity",
            field="reference",
            remedy="Embed the summary again.",
            code="non-finite-memory",
        )
    if not nonzero[0]:
        raise InputError(
            f"person {memory.key}: neither the summary nor the mean caption has a direction to compare prompts with",
            field="reference",
            remedy="Give the person a summary_ref or captions with text.",
            code="no-reference",
        )
    direction: Array = reference[0]
    return direction


def mean_direction(units: Array, definition: VpttDefinition) -> Array:
    """The direction (d,) of the mean of unit captions (m, d); 0 without captions, or where they cancel."""
    mean = units.mean(axis=0, keepdims=True) if len(units) else np.zeros((1, units.shape[1]))
    direction: Array = unit_rows(mean, definition.zero_norm)[0][0]
    return direction
