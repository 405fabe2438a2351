"""Captions with their embeddings, by person: what the figures of embeddings are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.memory import Array, unit_rows
from engine.records import Profile

_ZERO = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """For each person a name, a cluster, the captions' texts, and their unit embeddings (m, d) float64."""

    names: tuple[str, ...]
    clusters: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    rows: tuple[Array, ...]


def groups_of_people(people: Sequence[Profile], vectors: NDArray[Any]) -> Groups:
    """The captions of `people` with `vectors` (captions in total, d), in the order of people and captions; zero vectors are dropped."""
    texts = [tuple(caption.text for caption in person.captions) for person in people]
    return grouped([person.id for person in people], [person.cluster for person in people], texts, vectors)


def grouped(names: Sequence[str], clusters: Sequence[str], texts: Sequence[Sequence[str]], vectors: NDArray[Any]) -> Groups:
    """Groups from embeddings of all texts in order. Raises ValueError if their numbers differ."""
    if sum(map(len, texts)) != len(vectors):
        raise ValueError(f"{sum(map(len, texts))} texts but {len(vectors)} vectors")
    kept_texts, kept_rows = [], []
    start = 0
    for own in texts:
        rows, nonzero, _ = unit_rows(vectors[start : start + len(own)], _ZERO)
        start += len(own)
        kept_rows.append(rows[nonzero])
        kept_texts.append(tuple(text for text, kept in zip(own, np.asarray(nonzero).tolist(), strict=True) if kept))
    return Groups(tuple(names), tuple(clusters), tuple(kept_texts), tuple(kept_rows))
