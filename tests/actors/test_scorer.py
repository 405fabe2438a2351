"""The scorer: a shard at once gives what one prompt at a time gives, and bad units fail by name."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.scorer import ScoreRequest, VpttScorer
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.metrics.vptt import SCORE_FIGURES
from engine.outcome import Answered, Failed, FailureKind

DEFINITION = VpttDefinition("random@1")
WORDS = ["kite", "tea", "harbour", "brass", "lantern", "rain", "market", "hill", "boat", "dawn", "copper", "scarf"]


def memory_of(seed: int, captions: int = 12, dimension: int = 24) -> PersonMemory:
    rng = np.random.default_rng(seed)
    texts = tuple(" ".join(rng.choice(WORDS, 8)) for _ in range(captions))
    return PersonMemory(f"person-{seed}", texts, rng.normal(size=(captions, dimension)).astype(np.float32), rng.normal(size=dimension))


def shard(people: int = 5, prompts: int = 7) -> list[ScoreRequest]:
    rng = np.random.default_rng(11)
    return [
        ScoreRequest(memory, " ".join(rng.choice(WORDS, rng.integers(1, 12))), rng.normal(size=memory.dimension).astype(np.float32))
        for memory in (memory_of(seed, captions=12 - seed) for seed in range(people))
        for _ in range(prompts)
    ]


def table(outcomes: list) -> np.ndarray:
    assert all(isinstance(outcome, Answered) for outcome in outcomes)
    return np.array([[getattr(outcome.value, name) for name in SCORE_FIGURES] for outcome in outcomes])


def test_a_score_is_bit_for_bit_the_same_whatever_it_is_scored_together_with() -> None:
    """A resumed run scores other batches than an undisturbed one, and its summary must have equal bytes (STORAGE, byte-identity)."""
    requests = shard()
    together = table(VpttScorer(DEFINITION).score(requests))
    for size in (1, 2, 3, 5, 16):
        apart = [
            outcome for start in range(0, len(requests), size) for outcome in VpttScorer(DEFINITION).score(requests[start : start + size])
        ]
        np.testing.assert_array_equal(table(apart), together)


@settings(deadline=None, max_examples=20)
@given(st.randoms(use_true_random=False))
def test_order_of_requests_does_not_matter(random: object) -> None:
    requests = shard(people=3, prompts=4)
    order = list(range(len(requests)))
    random.shuffle(order)
    expected = table(VpttScorer(DEFINITION).score(requests))
    assert table(VpttScorer(DEFINITION).score([requests[index] for index in order])) == pytest.approx(expected[order], abs=1e-12)


def test_a_person_forgotten_and_met_again_scores_the_same() -> None:
    requests = shard(people=4, prompts=2)
    scorer = VpttScorer(DEFINITION, people=1)
    first = scorer.score(requests)
    assert table(scorer.score(requests)) == pytest.approx(table(first), abs=1e-12)
    scorer.close()
    assert table(scorer.score(requests)) == pytest.approx(table(first), abs=1e-12)


def test_changed_content_under_the_same_key_is_never_scored_with_the_old() -> None:
    old, new = memory_of(1), replace(memory_of(2), key="person-1")
    prompt, vector = "brass lantern in the rain", np.random.default_rng(5).normal(size=24)
    expected = table([VpttScorer(DEFINITION).score([ScoreRequest(memory, prompt, vector)])[0] for memory in (old, new)])
    assert np.abs(expected[0] - expected[1]).max() > 1e-3
    scorer = VpttScorer(DEFINITION)
    requests = [ScoreRequest(memory, prompt, vector) for memory in (old, new, old)]
    assert table(scorer.score(requests)) == pytest.approx(expected[[0, 1, 0]], abs=1e-12)
    assert table(scorer.score(requests[1:])) == pytest.approx(expected[[1, 0]], abs=1e-12)


def test_an_equal_copy_of_a_person_is_the_same_person() -> None:
    prompt, vector = "tea at dawn", np.random.default_rng(5).normal(size=24)
    outcomes = VpttScorer(DEFINITION).score([ScoreRequest(memory_of(1), prompt, vector), ScoreRequest(memory_of(1), prompt, vector)])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"prompt": ""}, "empty-prompt"),
        ({"prompt": " — 🌄 !"}, "empty-prompt"),
        ({"vector": np.full(24, np.nan)}, "non-finite-vector"),
        ({"vector": np.full(24, np.inf, dtype=np.float32)}, "non-finite-vector"),
        ({"vector": np.full(24, 1e200)}, "non-finite-vector"),
        ({"vector": np.ones(23)}, "dimension-mismatch"),
        ({"vector": np.ones((24, 1))}, "dimension-mismatch"),
    ],
)
def test_an_unusable_prompt_fails_alone(change: dict, code: str) -> None:
    requests = shard(people=2, prompts=3)
    expected = table(VpttScorer(DEFINITION).score(requests))
    requests[1] = replace(requests[1], **change)
    outcomes = VpttScorer(DEFINITION).score(requests)
    failed = outcomes.pop(1)
    assert isinstance(failed, Failed)
    assert (failed.code, failed.kind) == (code, FailureKind.PERMANENT)
    assert failed.message
    assert table(outcomes) == pytest.approx(np.delete(expected, 1, axis=0), abs=1e-12)


def test_an_unusable_person_fails_all_their_prompts_and_no_other() -> None:
    broken, silent = memory_of(1), memory_of(2)
    broken.vectors[3, 0] = np.nan
    silent = PersonMemory("silent", silent.captions, np.zeros_like(silent.vectors))
    vector = np.ones(24)
    people = (broken, silent, memory_of(3))
    outcomes = VpttScorer(DEFINITION).score([ScoreRequest(memory, "tea", vector) for memory in people for _ in range(2)])
    assert [outcome.code for outcome in outcomes[:4]] == ["non-finite-memory"] * 2 + ["no-reference"] * 2
    table(outcomes[4:])


def test_zero_vector_is_scored_with_no_fidelity() -> None:
    outcome = VpttScorer(DEFINITION).score([ScoreRequest(memory_of(1), "tea", np.zeros(24))])[0]
    assert isinstance(outcome, Answered)
    assert (outcome.value.pa, outcome.value.gs) == (0, 0)


def test_any_script_is_scored() -> None:
    memory = replace(memory_of(1), captions=("一个穿着红色连衣裙的女孩", "قارب قديم", "\ud800 lone", *memory_of(1).captions[3:]))
    outcomes = VpttScorer(DEFINITION).score([ScoreRequest(memory, text, np.ones(24)) for text in ("穿着红色连衣裙", "قارب قديم", "Ψ")])
    assert table(outcomes)[:, SCORE_FIGURES.index("nv")].tolist() == [0, 0, 1]


def test_nothing_asked_nothing_answered() -> None:
    assert VpttScorer(DEFINITION).score([]) == []
