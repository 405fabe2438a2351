"""One place reads replies: a verdict, a refusal, or nothing that can be read; a guess is never made."""

import json

import pytest

from engine.judging.reading import read_verdict
from engine.judging.rubric import built_in
from engine.outcome import Answered, Refused, Unparsed

PAIR = {"task": "a park", "reason": "its colours", "preferred": "B", "confidence": 0.7}
RATING = {"task": "a park", "reason": "its colours", "score": 4}


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(PAIR),
        f"```json\n{json.dumps(PAIR)}\n```",
        f"Here is my verdict: {json.dumps(PAIR)} I hope this helps.",
        f"<think>A is longer {{}} but</think>{json.dumps(PAIR, indent=2)}",
    ],
)
def test_a_verdict_is_found_where_there_is_exactly_one(raw):
    outcome = read_verdict(built_in("pair"), raw)
    assert isinstance(outcome, Answered)
    assert (outcome.value.decision, outcome.value.confidence, outcome.value.reason) == ("B", 0.7, "its colours")
    assert outcome.value.reply == raw


def test_a_rating_is_a_number():
    outcome = read_verdict(built_in("rating"), json.dumps(RATING))
    assert isinstance(outcome, Answered)
    assert outcome.value.decision == 4.0
    assert outcome.value.confidence is None


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "B",
        "I prefer B.",
        json.dumps(PAIR)[:-9],
        json.dumps({**PAIR, "preferred": "C"}),
        json.dumps({**PAIR, "preferred": "a"}),
        json.dumps({**PAIR, "confidence": 7}),
        json.dumps({**PAIR, "winner": "A"}),
        f"```json\n{json.dumps(PAIR)}\n```\nor\n```json\n{json.dumps({**PAIR, 'preferred': 'A'})}\n```",
        f"{json.dumps(PAIR)} {json.dumps({**PAIR, 'preferred': 'A'})}",
        "[" * 5000,
        '{"task": "x", "reason": "y", "preferred": "A", "preferred": "B", "confidence": 0.7}',
        f"{json.dumps({**PAIR, 'preferred': 'A'})}\n```json\n{json.dumps(PAIR)}\n```",
    ],
)
def test_what_is_no_single_verdict_is_unparsed_and_kept(raw):
    assert read_verdict(built_in("pair"), raw) == Unparsed(raw)


def test_one_verdict_said_twice_is_one():
    outcome = read_verdict(built_in("pair"), f"{json.dumps(PAIR)}\n\nAgain: {json.dumps(PAIR, indent=1)}")
    assert isinstance(outcome, Answered)


@pytest.mark.parametrize("score", [-1, 6, 3.5, "4", None, True, float("nan")])
def test_a_score_off_the_scale_is_unparsed(score):
    assert isinstance(read_verdict(built_in("rating"), json.dumps({**RATING, "score": score})), Unparsed)


def test_a_refusal_is_a_refusal():
    raw = "I'm sorry, but I can't help with that."
    assert read_verdict(built_in("pair"), raw) == Refused(raw)


def test_a_verdict_that_talks_of_refusing_is_a_verdict():
    raw = json.dumps({**PAIR, "reason": "I can't help with that, says the text"})
    assert isinstance(read_verdict(built_in("pair"), raw), Answered)
