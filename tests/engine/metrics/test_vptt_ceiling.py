"""The ceiling equals dropping each caption, preparing the person anew and scoring it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_people import DEFINITION, left_out_one_by_one, person

from engine.errors import InputError
from engine.metrics.ceiling import ceiling, leave_one_out_scores
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.metrics.vptt import SCORE_FIGURES


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 14), st.sampled_from([5, 16, 48]), st.booleans(), st.booleans())
def test_equals_dropping_each_caption(seed: int, captions: int, dimension: int, reference: bool, repeats: bool) -> None:
    memory = person(seed, captions, dimension, reference=reference, repeated=captions // 3 if repeats else 0)
    assert leave_one_out_scores(memory, DEFINITION) == pytest.approx(left_out_one_by_one(memory), abs=1e-10)


@pytest.mark.parametrize("repeated", [0, 3])
def test_equals_dropping_each_caption_at_real_size(repeated: int) -> None:
    memory = person(5, 30, 384, repeated=repeated)
    definition = VpttDefinition("random@1", cp="cp-literal")
    best, table = ceiling(memory, definition), left_out_one_by_one(memory, definition)
    assert [getattr(best, name) for name in SCORE_FIGURES] == pytest.approx(table.mean(axis=0), abs=1e-10)
    assert (best.captions, best.pa_id) == (30, "summary_ref")


def test_equals_dropping_each_caption_where_two_nearly_coincide() -> None:
    for distance in (1e-5, 1e-3, 3e-3, 1e-2):
        memory = person(6, 9)
        vectors = memory.vectors.copy()
        vectors[1] = vectors[0] + distance * vectors[2]
        close = PersonMemory("close", memory.captions, vectors, memory.reference)
        assert leave_one_out_scores(close, DEFINITION) == pytest.approx(left_out_one_by_one(close), abs=1e-9)


def test_a_caption_without_direction_scores_and_is_missed_by_none() -> None:
    memory = person(7, 6)
    vectors = memory.vectors.copy()
    vectors[4] = 0
    memory = PersonMemory("p", memory.captions, vectors, memory.reference)
    table = leave_one_out_scores(memory, DEFINITION)
    assert table == pytest.approx(left_out_one_by_one(memory), abs=1e-10)
    assert table[4, SCORE_FIGURES.index("gs")] == 0


def test_golden_fidelity_of_metrics_gs() -> None:
    memory = PersonMemory("p", ("a b c", "d e f", "g h i"), np.array([(1, 0, 0), (0.6, 0.8, 0), (2 / 3, 1 / 3, 2 / 3)]), np.ones(3))
    table = leave_one_out_scores(memory, DEFINITION)
    assert table[:, SCORE_FIGURES.index("gs")] ** 2 == pytest.approx([61 / 125, 61 / 125, 5 / 9], abs=1e-12)
    assert ceiling(memory, DEFINITION).gs == pytest.approx((2 * math.sqrt(61 / 125) + math.sqrt(5 / 9)) / 3, abs=1e-12)


def test_captions_without_words_are_not_scored() -> None:
    memory = person(8, 5)
    memory = PersonMemory("p", (*memory.captions[:4], "…"), memory.vectors, memory.reference)
    assert ceiling(memory, DEFINITION).captions == 4


def test_nothing_to_score_is_an_error_not_a_number() -> None:
    for memory in (person(9, 1, reference=False), PersonMemory("p", (), np.empty((0, 3)), np.ones(3))):
        with pytest.raises(InputError) as caught:
            ceiling(memory, DEFINITION)
        assert caught.value.code == "no-ceiling"
        assert str(caught.value) == ("captions: none can be scored with itself left out. Give the person at least two captions with text.")


def test_single_caption_with_a_summary_has_no_span_left() -> None:
    best = ceiling(person(10, 1), DEFINITION)
    assert (best.gs, best.cp_unit, best.nv, best.captions) == (0, 0, 1, 1)
