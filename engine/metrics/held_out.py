"""A person without a caption of theirs that is itself being scored, and without its twins (METRICS, Cross-fitted)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.memory import PersonMemory, unit_rows

TWIN = 0.98
"""A caption whose cosine with the scored one is larger leaves with it."""


def without_twins(memory: PersonMemory, text: str, vector: NDArray[Any]) -> PersonMemory:
    """`memory` without the captions that are `text` or whose cosine with `vector` (d,) is above .98, under a key of its own."""
    rows = unit_rows(memory.vectors, 1e-12)[0]
    direction = unit_rows(vector[None], 1e-12)[0][0]
    # One product a row: the result must not depend on how many captions there are.
    cosines = np.matmul(rows[:, None, :], direction[:, None])[:, 0, 0]
    kept = [index for index, caption in enumerate(memory.captions) if caption != text and cosines[index] <= TWIN]
    return memory.only(kept, f"without:{text}")
