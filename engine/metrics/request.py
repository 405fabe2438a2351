"""What is asked of a scorer: one prompt against one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from engine.metrics.memory import PersonMemory


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRequest:
    """One prompt to score against one person; `vector` (d,) is the prompt's embedding by the encoder of the captions."""

    memory: PersonMemory
    prompt: str
    vector: NDArray[Any]
