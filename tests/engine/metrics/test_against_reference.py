"""The scorer against the plain script that the benchmark measures: two implementations, one of them obvious."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_people import DEFINITION, person, prompts

from actors.scorer import ScoreRequest, VpttScorer
from engine.metrics.vptt import SCORE_FIGURES

_SPEC = importlib.util.spec_from_file_location("score_reference", Path(__file__).parents[3] / "benchmarks" / "score_reference.py")
reference = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(reference)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 34), st.sampled_from([6, 24, 48]), st.booleans(), st.integers(0, 3))
def test_every_figure_agrees(seed: int, captions: int, dimension: int, summary: bool, repeated: int) -> None:
    memory = person(seed, captions, dimension, reference=summary, repeated=min(repeated, captions // 2))
    texts, vectors = prompts(memory, 4, seed)
    outcomes = VpttScorer(DEFINITION).score([ScoreRequest(memory, text, vector) for text, vector in zip(texts, vectors, strict=True)])
    expected = [
        reference.score_fresh(text, vector, memory.captions, memory.vectors, memory.reference)
        for text, vector in zip(texts, vectors, strict=True)
    ]
    found = np.array([[getattr(outcome.value, name) for name in SCORE_FIGURES] for outcome in outcomes])
    assert reference.FIGURES == SCORE_FIGURES
    assert found == pytest.approx(np.array(expected), abs=1e-10)


def test_cached_reference_agrees_with_the_fresh_one() -> None:
    memory = person(1)
    texts, vectors = prompts(memory, 5)
    cached = reference.CachedPerson(memory.captions, memory.vectors, memory.reference)
    for text, vector in zip(texts, vectors, strict=True):
        assert cached.score(text, vector) == reference.score_fresh(text, vector, memory.captions, memory.vectors, memory.reference)
