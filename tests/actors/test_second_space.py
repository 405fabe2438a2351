"""A second space scores texts as the first would score vectors of its encoder, whatever it has kept of people."""

import numpy as np
import pytest

from actors.scorer import ScoreRequest, VpttScorer
from actors.second_space import SecondSpace
from actors.tiny import TinyEncoder
from engine.metrics.definition import VpttDefinition
from engine.metrics.held_out import fewer, without
from engine.metrics.memory import PersonMemory
from engine.metrics.scored import Scored
from engine.metrics.second import PersonTexts, TextScoreRequest
from engine.metrics.vptt import SCORE_FIGURES
from engine.outcome import Answered, Failed

DEFINITION = VpttDefinition(encoder=TinyEncoder.id)
WORDS = ["kite", "tea", "harbour", "brass", "lantern", "rain", "market", "hill", "boat", "dawn", "copper", "scarf"]


def person(number, captions=8, reference=True):
    rng = np.random.default_rng(number)
    texts = tuple(" ".join(rng.choice(WORDS, 6)) for _ in range(captions))
    return PersonTexts(f"person-{number}", texts, " ".join(rng.choice(WORDS, 5)) if reference else "")


def request(number, strangers=(), held_out=frozenset(), **options):
    prompt = " ".join(np.random.default_rng(1000 + number).choice(WORDS, 7))
    return TextScoreRequest(f"unit-{number}", prompt, (person(number, **options), *map(person, strangers)), held_out)


def by_hand(asked):
    """Encode each text alone, then score with the first space's scorer."""

    def vector(text):
        return TinyEncoder().encode([text]).vectors[0]

    scores, gone = [], 0
    for place, texts in enumerate(asked.people):
        memory = PersonMemory(
            texts.key,
            texts.captions,
            np.array([vector(text) for text in texts.captions]),
            vector(texts.reference) if texts.reference else None,
        )
        if place == 0 and asked.held_out:
            memory = without(memory, asked.held_out, memory)
            gone = len(texts.captions) - len(memory.captions)
        elif place:
            memory = fewer(memory, gone, asked.key)
        (outcome,) = VpttScorer(DEFINITION).score([ScoreRequest(memory, asked.prompt, vector(asked.prompt))])
        scores.append(outcome.value)
    alike = [score for score in scores[1:] if score.pa_id == scores[0].pa_id]
    means = np.mean([[getattr(score, name) for name in SCORE_FIGURES] for score in alike], axis=0).tolist() if alike else None
    return scores[0], means


def check(outcome, asked):
    assert isinstance(outcome, Answered)
    right, means = by_hand(asked)
    assert outcome.value.score == right
    assert outcome.value.strangers == len(asked.people) - 1
    if means is None:
        assert outcome.value.stranger is None
    else:
        assert outcome.value.stranger == pytest.approx(means, abs=1e-12)


@pytest.mark.parametrize("people", [1, 2, 256])
def test_equals_encoding_and_scoring_one_by_one_however_few_people_are_kept(people):
    asked = [
        request(1, strangers=(2, 3)),
        request(2, strangers=(1,)),
        request(3),
        request(1, strangers=(4, 5, 6)),
        request(9, reference=False),
        request(5, strangers=(1,), held_out=frozenset(person(5).captions[:2])),
        request(5, strangers=(1,)),
    ]
    space = SecondSpace(TinyEncoder(), DEFINITION, people=people)
    for _ in range(2):  # anew, then with whoever is kept
        for outcome, each in zip(space.score(asked), asked, strict=True):
            check(outcome, each)


class Counting(TinyEncoder):
    """Remembers what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def encode(self, texts):
        self.asked.append(list(texts))
        return super().encode(texts)


def test_a_kept_person_is_not_embedded_again_and_changed_content_is():
    encoder = Counting()
    space = SecondSpace(encoder, DEFINITION)
    space.score([request(1, strangers=(2,))])
    space.score([request(1, strangers=(2,))])
    assert [len(texts) for texts in encoder.asked] == [1 + 9 + 9, 1]
    changed = TextScoreRequest("unit-1", "tea at dawn", (PersonTexts("person-1", ("another post", "and one more"), ""),), frozenset())
    (outcome,) = space.score([changed])
    check(outcome, changed)
    assert len(encoder.asked[2]) == 3


def test_an_unusable_prompt_fails_alone_and_a_stranger_without_direction_is_left_out():
    silent = PersonTexts("silent", (), "")
    asked = [
        request(1),
        TextScoreRequest("unit-2", " — !", (person(2),), frozenset()),
        TextScoreRequest("unit-3", "tea", (person(3), silent, person(4)), frozenset()),
    ]
    first, empty, third = SecondSpace(TinyEncoder(), DEFINITION).score(asked)
    check(first, asked[0])
    assert isinstance(empty, Failed)
    assert empty.code == "empty-prompt"
    check(third, TextScoreRequest("unit-3", "tea", (person(3), person(4)), frozenset()))


def test_scored_survives_its_columns():
    outcomes = SecondSpace(TinyEncoder(), DEFINITION).score([request(1, strangers=(2, 3)), request(2)])
    for outcome in outcomes:
        assert Scored.of(outcome.value.columns()) == outcome.value
