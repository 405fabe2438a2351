"""A person without those captions of theirs that are themselves being scored, and without their twins (METRICS, Cross-fitted)."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

import numpy as np

from engine.keys import Json, content_key, seed_of
from engine.metrics.memory import PersonMemory, unit_rows

RULE = "held-out-2"
TWIN = 0.98
"""A caption whose cosine with a held-out one is larger leaves with it."""


def recipe() -> dict[str, Json]:
    """For the fingerprints of what is scored on captions that are held out."""
    return {"rule": RULE, "twin": TWIN}


def without(memory: PersonMemory, texts: Collection[str], source: PersonMemory) -> PersonMemory:
    """`memory` without the captions `texts` of `source` and all that are their twins, under a key of its own."""
    rows = unit_rows(memory.vectors, 1e-12)[0]
    gone = unit_rows(source.vectors[[index for index, caption in enumerate(source.captions) if caption in texts]], 1e-12)[0]
    # One sum a pair: what is kept must not depend on how many captions there are.
    twins = (np.einsum("ik,jk->ij", rows, gone) > TWIN).any(axis=1)
    kept = [index for index, caption in enumerate(memory.captions) if caption not in texts and not twins[index]]
    return memory.only(kept, f"without:{content_key(sorted(texts))}")


def fewer(memory: PersonMemory, count: int, purpose: str) -> PersonMemory:
    """`memory` without `count` captions drawn by `purpose` and its key, at least one kept: GS grows with the number of captions, so
    strangers must have lost as many as the right person for a gain to be personal."""
    random = Random(seed_of(RULE, purpose, memory.key))
    order = sorted(range(len(memory.captions)), key=[random.random() for _ in memory.captions].__getitem__)
    kept = sorted(order[: max(1, len(order) - count)])
    return memory.only(kept, f"fewer:{count}:{purpose}") if count else memory
