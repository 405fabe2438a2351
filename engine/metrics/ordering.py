"""The check that CP means something: own captions above strangers' captions above unrelated text, on any built or imported people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.ceiling import ceiling
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import Array, PersonMemory, unit_rows
from engine.metrics.person import Person, prepare
from engine.metrics.vptt import embedding_parts


@dataclass(frozen=True, slots=True)
class CpOrdering:
    """Mean CP over people: of their own captions left out, of all other people's captions, of unrelated text."""

    own: float
    stranger: float
    unrelated: float

    @property
    def holds(self) -> bool:
        """own > stranger > unrelated, what METRICS asks of any people."""
        return self.own > self.stranger > self.unrelated


def cp_ordering(memories: Sequence[PersonMemory], unrelated: NDArray[Any], definition: VpttDefinition) -> CpOrdering:
    """The three means for people embedded by one encoder, by the definition's CP (METRICS, CP).

    Args:
        memories: at least two people.
        unrelated: (n, d), n >= 1, embeddings of text about nobody's posts.

    Raises InputError if there are too few of either, or where `prepare` does.
    """
    if len(memories) < 2 or not len(unrelated):
        raise InputError(
            f"the order of CP needs two people and an unrelated text, got {len(memories)} people and {len(unrelated)} texts",
            remedy="Give more people or texts.",
            code="too-few-people",
        )
    captions = [unit_rows(memory.vectors, definition.zero_norm)[0] for memory in memories]
    units = np.concatenate(captions)
    owner = np.repeat(np.arange(len(memories)), [len(rows) for rows in captions])
    noise = unit_rows(unrelated, definition.zero_norm)[0]
    own, stranger, other = [], [], []
    for index, memory in enumerate(memories):
        person, best = prepare(memory, definition), ceiling(memory, definition)
        own.append(best.cp_unit if definition.cp == "cp-unit" else best.cp_literal)
        stranger.append(_cp(person, units[owner != index], definition).mean())
        other.append(_cp(person, noise, definition).mean())
    return CpOrdering(own=float(np.mean(own)), stranger=float(np.mean(stranger)), unrelated=float(np.mean(other)))


def _cp(person: Person, units: Array, definition: VpttDefinition) -> Array:
    parts = embedding_parts(person, units)
    return parts.cp_unit if definition.cp == "cp-unit" else parts.cp_literal
