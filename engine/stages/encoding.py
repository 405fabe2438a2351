"""How a batch of units asks an encoder: one call for all their texts, so that its length buckets are full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.outcome import Answered, Failed, Outcome

Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """The embeddings (n, d) float32 of one unit's texts, and which of them were cut at the encoder's limit (n,)."""

    vectors: NDArray[np.float32]
    truncated: NDArray[np.bool_]


def encode_all(actor: Any, requests: Sequence[Texts]) -> list[Outcome[Embedded]]:
    """The embeddings of each request's texts, from one call of a sentence encoder (`encode(texts)`)."""
    encoded = actor.encode(list(chain.from_iterable(requests)))
    outcomes: list[Outcome[Embedded]] = []
    start = 0
    for texts in requests:
        stop = start + len(texts)
        vectors = encoded.vectors[start:stop]
        if np.isfinite(vectors).all():
            outcomes.append(Answered(Embedded(vectors, encoded.truncated[start:stop])))
        else:
            outcomes.append(Failed("non-finite-vector", "The encoder returned NaN or infinity for a text of this unit."))
        start = stop
    return outcomes
