"""V, V-c and the objective: golden values of METRICS, and PA's two ids."""

import math

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_people import DEFINITION, left_out_one_by_one, person, prompts

from engine.errors import ConfigError, InputError
from engine.metrics.ceiling import leave_one_out_scores
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory, unit_rows
from engine.metrics.objective import Objective, objective
from engine.metrics.person import prepare, prepare_all
from engine.metrics.vptt import SCORE_FIGURES, SCORE_SCHEMA, EmbeddingParts, VpttScore, figures, score_prompts
from engine.tokens import tokens

LITERAL_CP, UNIT_CP = 0.914947228730, 0.586646219510


def golden(definition: VpttDefinition) -> VpttScore:
    """PA .5, GS sqrt5/3, NV .6 with both CP of METRICS; nv-union .5 and PA against the mean caption .4 are ours."""
    parts = EmbeddingParts(*(np.array([value]) for value in (0.5, 0.4, math.sqrt(5) / 3, LITERAL_CP, UNIT_CP)))
    return VpttScore(*figures(parts, np.array([[0.6, 0.5]]), definition)[0].tolist())


def test_golden_scores_of_metrics_v() -> None:
    score = golden(DEFINITION)
    assert score.v_literal == pytest.approx(0.718090966369, abs=1e-12)
    assert score.v_c_literal == pytest.approx(0.720101073743, abs=1e-12)
    assert score.v == pytest.approx(0.619600663603, abs=1e-12)
    assert score.v_c == pytest.approx(0.610667404003, abs=1e-12)
    assert score.v_u == pytest.approx(score.v - 0.2 * 0.1, abs=1e-12)
    assert score.pa_mean_caption == 0.4
    assert score.v_mean_caption == pytest.approx(score.v - 0.2 * 0.1, abs=1e-12)
    assert score.v_c_mean_caption == pytest.approx(score.v_c - 0.1 / 3, abs=1e-12)


def test_headline_follows_the_definition() -> None:
    score = golden(VpttDefinition("random@1", cp="cp-literal"))
    assert (score.v, score.v_c) == (score.v_literal, score.v_c_literal)
    assert score.v_literal == pytest.approx(0.718090966369, abs=1e-12)


@pytest.mark.parametrize(("cp", "expected"), [("cp-unit", 0.619600663603), ("cp-literal", 0.718090966369)])
def test_objective_with_two_six_two_is_v(cp: str, expected: float) -> None:
    parts = objective(golden(DEFINITION), cp)
    assert parts.align == 0.5
    assert parts.novelty == 0.6
    assert parts.fidelity == pytest.approx((math.sqrt(5) / 3 + {"cp-unit": UNIT_CP, "cp-literal": LITERAL_CP}[cp]) / 2, abs=1e-12)
    assert parts.value((0.2, 0.6, 0.2)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("lambdas", [(0.2, 0.6, 0.3), (-0.2, 0.6, 0.6), (float("nan"), 0.5, 0.5)])
def test_objective_weights_must_be_shares_of_one(lambdas: tuple) -> None:
    with pytest.raises(ConfigError, match="shares of one"):
        Objective(0.1, 0.2, 0.3).value(lambdas)


def test_a_person_by_hand() -> None:
    """Two captions and a prompt small enough to score on paper."""
    memory = PersonMemory("p", ("a red kite at dawn", "an old boat"), np.array([(2.0, 0, 0), (0.6, 0.8, 0)]), np.array([0, 0, 5.0]))
    units, _, _ = unit_rows(np.array([(1.0, 2, 2)]), 1e-12)
    score = score_prompts(prepare(memory, DEFINITION), [tokens("A red kite at sea")], units, DEFINITION)[0]
    mean = np.array([0.8, 0.4, 0])
    assert score.pa == pytest.approx(2 / 3, abs=1e-12)
    assert score.gs == pytest.approx(math.sqrt(5) / 3, abs=1e-12)
    assert score.cp_literal == pytest.approx(math.exp(-((1 / 3 - 0.8) ** 2) - (2 / 3 - 0.4) ** 2), abs=1e-12)
    assert score.cp_unit == pytest.approx(math.exp(-2 + 2 * (0.8 / 3 + 0.8 / 3) / np.linalg.norm(mean)), abs=1e-12)
    assert score.nv == pytest.approx(1 / 3, abs=1e-12)


def test_pa_is_not_clamped_and_names_what_it_compares_with() -> None:
    memory = person(1)
    assert memory.pa_id == "summary_ref"
    opposite, _, _ = unit_rows(-memory.reference[None], 1e-12)
    score = score_prompts(prepare(memory, DEFINITION), [["tea"]], opposite, DEFINITION)[0]
    assert score.pa == pytest.approx(-1, abs=1e-12)
    assert score.pa_id == "summary_ref"


def test_without_a_summary_pa_compares_with_the_mean_caption() -> None:
    memory = person(2, reference=False)
    captions, _, _ = unit_rows(memory.vectors, 1e-12)
    mean, _, _ = unit_rows(captions.mean(axis=0)[None], 1e-12)
    score = score_prompts(prepare(memory, DEFINITION), [["tea"]], mean, DEFINITION)[0]
    assert score.pa == pytest.approx(1, abs=1e-12)
    assert score.pa_id == "mean_caption"
    assert (score.pa_mean_caption, score.v_mean_caption, score.v_c_mean_caption) == (score.pa, score.v, score.v_c)


def test_beside_the_summary_stands_the_same_score_against_the_mean_caption() -> None:
    memory = person(2)
    without = PersonMemory("mean", memory.captions, memory.vectors)
    texts, vectors = prompts(memory, 6)
    units, _, _ = unit_rows(vectors, 1e-12)
    words = [tokens(text) for text in texts]
    beside, alone = (score_prompts(prepare(one, DEFINITION), words, units, DEFINITION) for one in (memory, without))
    for one, other in zip(beside, alone, strict=True):
        assert (one.pa_mean_caption, one.v_mean_caption, one.v_c_mean_caption) == (other.pa, other.v, other.v_c)
        assert abs(one.pa - other.pa) > 1e-3


def test_zero_vector_counts_as_length_zero_everywhere() -> None:
    memory = person(3)
    score = score_prompts(prepare(memory, DEFINITION), [["tea"]], np.zeros((1, memory.dimension)), DEFINITION)[0]
    assert (score.pa, score.gs, score.nv) == (0, 0, 1)
    assert score.cp_unit == pytest.approx(math.exp(-2))


def test_captions_without_a_direction_still_count_for_novelty() -> None:
    memory = PersonMemory("p", ("a red kite",), np.zeros((1, 3)), np.array([1.0, 0, 0]))
    score = score_prompts(prepare(memory, DEFINITION), [tokens("a red kite")], np.array([[1.0, 0, 0]]), DEFINITION)[0]
    assert (score.pa, score.gs, score.cp_unit, score.cp_literal, score.nv) == (1, 0, 0, 0, 0)


def test_person_without_captions_has_only_align_and_novelty() -> None:
    memory = PersonMemory("p", (), np.empty((0, 3)), np.array([1.0, 0, 0]))
    score = score_prompts(prepare(memory, DEFINITION), [["tea"]], np.array([[1.0, 0, 0]]), DEFINITION)[0]
    assert (score.pa, score.gs, score.cp_unit, score.nv) == (1, 0, 0, 1)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans())
def test_order_of_captions_does_not_change_any_figure(seed: int, captions: int, reference: bool) -> None:
    memory = person(seed, captions, 16, reference=reference, repeated=captions // 4)
    order = np.random.default_rng(seed).permutation(captions)
    shuffled = PersonMemory("shuffled", tuple(memory.captions[index] for index in order), memory.vectors[order], memory.reference)
    texts, vectors = prompts(memory, 5)
    units, _, _ = unit_rows(vectors, 1e-12)
    words = [tokens(text) for text in texts]
    first, second = (score_prompts(prepare(one, DEFINITION), words, units, DEFINITION) for one in (memory, shuffled))
    for one, other in zip(first, second, strict=True):
        assert [getattr(one, name) for name in SCORE_FIGURES] == pytest.approx([getattr(other, name) for name in SCORE_FIGURES], abs=1e-12)


def test_people_prepared_together_are_those_prepared_alone() -> None:
    memories = [person(seed, captions) for seed, captions in enumerate((30, 30, 7, 30, 1))]
    for memory, together in zip(memories, prepare_all(memories, DEFINITION), strict=True):
        alone = prepare(memory, DEFINITION)
        assert together.memory is memory
        assert np.array_equal(together.combinations, alone.combinations)
        assert np.array_equal(together.literal_centroids, alone.literal_centroids)


def test_schema_holds_scores() -> None:
    rows = [{name: getattr(golden(DEFINITION), name) for name in SCORE_SCHEMA.names}]
    assert SCORE_SCHEMA.names == [*SCORE_FIGURES, "pa_id"]
    assert pyarrow.Table.from_pylist(rows, schema=SCORE_SCHEMA).to_pylist() == rows


def test_unusable_embeddings_are_refused_by_name() -> None:
    memory = person(4)
    broken = memory.vectors.copy()
    broken[2, 0] = np.nan
    with pytest.raises(InputError, match="caption 2") as caught:
        prepare(PersonMemory("p", memory.captions, broken, memory.reference), DEFINITION)
    assert caught.value.code == "non-finite-memory"
    with pytest.raises(InputError) as caught:
        prepare(PersonMemory("p", memory.captions, memory.vectors, np.full(48, np.inf)), DEFINITION)
    assert caught.value.code == "non-finite-memory"
    with pytest.raises(InputError) as caught:
        prepare(PersonMemory("p", ("a", "b"), np.array([(1.0, 0), (-1, 0)])), DEFINITION)
    assert caught.value.code == "no-reference"


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="2 captions"):
        PersonMemory("p", ("a", "b"), np.ones((3, 4)))
    with pytest.raises(InputError, match="same encoder"):
        PersonMemory("p", ("a",), np.ones((1, 4)), np.ones(5))


def test_equal_texts_ask_for_no_more_clusters_than_there_are_texts() -> None:
    vectors = np.random.default_rng(6).normal(size=(30, 16))
    memory = PersonMemory("p", ("red kite", "old boat") * 15, vectors, np.ones(16))
    assert len(prepare(memory, DEFINITION).literal_centroids) == 2
    assert leave_one_out_scores(memory, DEFINITION) == pytest.approx(left_out_one_by_one(memory), abs=1e-10)
