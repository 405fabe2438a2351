"""Cross-fitting by hand: each half prepared as a person of its own, and what a score on half B is worth to who copies half A."""

from __future__ import annotations

import numpy as np
import pytest
from metric_people import DEFINITION, figures_of, person, prompts

from actors.scorer import VpttScorer
from engine.metrics.cross import CROSS_FIGURES, Fold
from engine.metrics.memory import PersonMemory
from engine.metrics.vptt import SCORE_FIGURES
from engine.outcome import Answered, Failed
from engine.prompting.view import half_of

NOVEL = ("nv", "nv_union")


def halves(memory: PersonMemory) -> tuple[PersonMemory, PersonMemory]:
    a, b = (memory.only(half_of(memory.key, len(memory.captions), half), half) for half in ("a", "b"))
    return a, b


def folds(memory: PersonMemory, texts: list[str], vectors: np.ndarray) -> list[Fold]:
    a, b = halves(memory)
    return [Fold(a, b, texts[0], vectors[0]), Fold(b, a, texts[1], vectors[1])]


def by_hand(seen: PersonMemory, held: PersonMemory, text: str, vector: np.ndarray) -> tuple[dict[str, float], dict[str, float]]:
    """(cross-fitted, matched): PA, GS and CP from one half scored as a person of its own, NV always from the half that was seen."""
    scores = []
    for half in (held, seen):
        of_half, of_seen = (dict(zip(SCORE_FIGURES, figures_of(each, [text], vector[None])[0], strict=True)) for each in (half, seen))
        score = {**of_half, **{name: of_seen[name] for name in NOVEL}}
        pa, gs, cp, literal, nv = (score[name] for name in ("pa", "gs", "cp_unit", "cp_literal", "nv"))
        score["v"] = 0.2 * pa + 0.3 * gs + 0.3 * cp + 0.2 * nv
        score["v_u"] = 0.2 * pa + 0.3 * gs + 0.3 * cp + 0.2 * score["nv_union"]
        score["v_literal"] = 0.2 * pa + 0.3 * gs + 0.3 * literal + 0.2 * nv
        score["v_c"], score["v_c_literal"] = (pa + gs + cp) / 3, (pa + gs + literal) / 3
        scores.append(score)
    return scores[0], scores[1]


def crossed(requests: list[list[Fold]]) -> list[dict[str, dict[str, float]]]:
    found = []
    for outcome in VpttScorer(DEFINITION).cross(requests):
        assert isinstance(outcome, Answered)
        rows = {"cross": outcome.value.cross, "matched": outcome.value.matched}
        found.append({name: dict(zip(CROSS_FIGURES, row, strict=True)) for name, row in rows.items()})
    return found


@pytest.mark.parametrize("reference", [True, False])
def test_equals_preparing_both_halves_by_hand(reference: bool) -> None:
    memories = [person(seed, captions, 24, reference=reference) for seed, captions in ((1, 30), (2, 13), (3, 4))]
    written = [prompts(memory, 2, seed) for seed, memory in enumerate(memories)]
    found = crossed([folds(memory, *made) for memory, made in zip(memories, written, strict=True)])
    for memory, (texts, vectors), figures in zip(memories, written, found, strict=True):
        a, b = halves(memory)
        folds_by_hand = [by_hand(a, b, texts[0], vectors[0]), by_hand(b, a, texts[1], vectors[1])]
        for part, name in enumerate(("cross", "matched")):
            expected = {figure: (folds_by_hand[0][part][figure] + folds_by_hand[1][part][figure]) / 2 for figure in CROSS_FIGURES}
            assert figures[name] == pytest.approx(expected, abs=1e-12)


def test_a_fold_is_the_same_whatever_it_is_scored_together_with() -> None:
    memories = [person(seed, 12, 24) for seed in range(6)]
    requests = [folds(memory, *prompts(memory, 2, seed)) for seed, memory in enumerate(memories)]
    assert [crossed([request])[0] for request in requests] == crossed(requests)


def test_who_copies_what_it_saw_scores_lower_where_it_is_held_out() -> None:
    requests = []
    for seed in range(30):
        a, b = halves(person(seed, 20, 48))
        requests.append([Fold(a, b, a.captions[0], a.vectors[0]), Fold(b, a, b.captions[0], b.vectors[0])])
    found = crossed(requests)
    assert all(figures["matched"]["gs"] == pytest.approx(1, abs=1e-9) for figures in found)
    assert all(figures["cross"]["gs"] < 0.95 for figures in found)
    assert all(figures["cross"]["v"] < figures["matched"]["v"] for figures in found)
    # What was copied is known to both: NV is of the half that was seen.
    assert all(figures["cross"]["nv"] == figures["matched"]["nv"] == 0 for figures in found)


def test_who_sees_no_caption_scores_the_same_on_either_half() -> None:
    """Its prompt is the same for both folds, so cross-fitted and matched means agree to the last figure but rounding."""
    requests = []
    for seed in range(40):
        memory = person(seed, 20, 48)
        texts, vectors = prompts(memory, 1, seed + 1)
        requests.append(folds(memory, texts * 2, np.repeat(vectors, 2, axis=0)))
    for figures in crossed(requests):
        for name in ("pa", "gs", "cp_unit", "cp_literal", *NOVEL, "v"):
            assert figures["cross"][name] == pytest.approx(figures["matched"][name], abs=1e-12)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"prompt": " — !"}, "empty-prompt"),
        ({"vector": np.full(24, np.nan)}, "non-finite-vector"),
        ({"vector": np.ones(23)}, "dimension-mismatch"),
    ],
)
def test_one_unusable_fold_fails_its_request_alone(change: dict, code: str) -> None:
    memories = [person(seed, 12, 24) for seed in range(3)]
    requests = [folds(memory, *prompts(memory, 2, seed)) for seed, memory in enumerate(memories)]
    good = crossed(requests)
    fold = requests[1][1]
    fields = {"seen": fold.seen, "held": fold.held, "prompt": fold.prompt, "vector": fold.vector, **change}
    requests[1][1] = Fold(**fields)
    outcomes = VpttScorer(DEFINITION).cross(requests)
    assert isinstance(outcomes[1], Failed)
    assert outcomes[1].code == code
    assert crossed([requests[0], requests[2]]) == [good[0], good[2]]
    assert [isinstance(outcome, Answered) for outcome in outcomes] == [True, False, True]


def test_a_half_without_anything_to_compare_with_fails_by_name() -> None:
    memory = person(1, 8, 24, reference=False)
    silent = PersonMemory(memory.key, memory.captions, np.zeros_like(memory.vectors))
    (outcome,) = VpttScorer(DEFINITION).cross([folds(silent, ["tea", "tea"], np.ones((2, 24)))])
    assert isinstance(outcome, Failed)
    assert outcome.code == "no-reference"
