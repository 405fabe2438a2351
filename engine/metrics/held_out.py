"""A person without those captions of theirs that are themselves being scored, and without their twins (METRICS, Cross-fitted)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from engine.keys import content_key
from engine.metrics.memory import PersonMemory, unit_rows

TWIN = 0.98
"""A caption whose cosine with a held-out one is larger leaves with it."""


def without(memory: PersonMemory, texts: Collection[str], source: PersonMemory) -> PersonMemory:
    """`memory` without the captions `texts` of `source` and all that are their twins, under a key of its own."""
    rows = unit_rows(memory.vectors, 1e-12)[0]
    gone = unit_rows(source.vectors[[index for index, caption in enumerate(source.captions) if caption in texts]], 1e-12)[0]
    kept = [
        index
        for index, caption in enumerate(memory.captions)
        # One sum a pair: what is kept must not depend on how many captions there are.
        if caption not in texts and not any(float(np.dot(rows[index], other)) > TWIN for other in gone)
    ]
    return memory.only(kept, f"without:{content_key(sorted(texts))}")
