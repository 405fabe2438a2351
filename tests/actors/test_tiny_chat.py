"""The stand-in for a language model answers as the contract says: from messages and seed alone, within its limits, counted."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest

from actors.tiny_chat import TinyChat
from engine.errors import ModelError
from engine.generation.chat import ChatModel, ChatRequest, Message, Reply, Sampling, Spent
from engine.keys import content_key
from engine.outcome import Answered, Unparsed

GOLDEN = "eb4b354aced6321a"
"""Changes with the stand-in's version."""
WORDS = "A red kite over green hills: low sun, a wool rug; tea"


def asked(seed: int = 1, text: str = WORDS, schema: str = "", **sampling: object) -> ChatRequest:
    messages = (Message("system", "Write."), Message("user", text))
    return ChatRequest(f"call-{seed}", messages, Sampling(**{"temperature": 1.0, **sampling}), seed, schema)  # type: ignore[arg-type]


def reply(request: ChatRequest) -> Reply:
    model: ChatModel = TinyChat()
    (outcome,) = model.chat([request])
    assert isinstance(outcome, Answered)
    return outcome.value


def test_a_reply_is_a_function_of_messages_and_seed_in_any_batch() -> None:
    requests = [asked(seed) for seed in range(20)]
    whole = TinyChat().chat(requests)
    assert [TinyChat().chat([request])[0] for request in requests] == whole
    assert len({outcome.value.choices[0].text for outcome in whole if isinstance(outcome, Answered)}) == 20
    assert reply(asked(text="A blue boat on a lake")) != reply(asked())


def test_a_greedy_reply_does_not_depend_on_the_seed() -> None:
    assert reply(asked(1, temperature=0.0)) == reply(asked(2, temperature=0.0))


def test_replies_are_the_same_on_every_machine() -> None:
    texts = [choice.text for choice in reply(asked(n=3)).choices]
    assert content_key(texts)[:16] == GOLDEN
    assert texts[0].endswith(".")
    assert set(texts[0].rstrip(".").replace(",", "").split()) <= set(WORDS.replace(":", "").replace(",", "").replace(";", "").split())


def test_it_gives_n_different_replies_and_counts_their_words_as_tokens() -> None:
    answer = reply(asked(n=3))
    assert len({choice.text for choice in answer.choices}) == 3
    assert answer.input_tokens == 1 + len(WORDS.split())
    assert answer.output_tokens == sum(len(choice.text.split()) for choice in answer.choices)
    assert answer.model == TinyChat.id


def test_a_reply_is_cut_at_max_tokens_and_at_a_stop() -> None:
    (short,) = reply(asked(max_tokens=5)).choices
    assert (len(short.text.split()), short.finish) == (5, "length")
    (fixed,) = reply(asked(max_tokens=90, fixed_length=True)).choices
    assert (len(fixed.text.split()), fixed.finish) == (90, "length")
    (whole,) = reply(asked()).choices
    word = whole.text.split()[4]
    (stopped,) = reply(asked(stop=(word, "absent"))).choices
    assert word not in stopped.text
    assert whole.text.startswith(stopped.text)
    assert stopped.finish == "stop"


SCHEMA = {
    "type": "object",
    "required": ["words", "kind", "count", "is_new", "nothing", "name", "fixed"],
    "properties": {
        "words": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "kind": {"enum": ["red", "blue"]},
        "count": {"type": "integer", "minimum": 3},
        "is_new": {"type": "boolean"},
        "nothing": {"type": "null"},
        "name": {"type": "string", "minLength": 4},
        "fixed": {"const": 7},
        "left_out": {"type": "number"},
    },
}


def test_with_a_schema_the_reply_is_json_that_fits() -> None:
    (choice,) = reply(asked(schema=json.dumps(SCHEMA))).choices
    jsonschema.validate(json.loads(choice.text), SCHEMA)


@pytest.mark.parametrize(
    "schema", ["no json", "[]", '{"anyOf": []}', '{"type": "other"}', '{"type": "object", "required": ["x"]}', '"text"']
)
def test_a_schema_that_it_cannot_read_is_unparsed_and_harms_no_other(schema: str) -> None:
    outcomes = TinyChat().chat([asked(schema=schema), asked()])
    assert outcomes[0] == Unparsed("")
    assert isinstance(outcomes[1], Answered)


def test_messages_without_a_word_are_unparsed() -> None:
    assert TinyChat().chat([asked(text=" "), ChatRequest("k", (), Sampling(), 1)]) == [Unparsed(""), Unparsed("")]


def test_spending_adds_up_from_several_threads() -> None:
    model = TinyChat()
    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(lambda seed: model.chat([asked(seed)])[0], range(200)))
    replies = [outcome.value for outcome in done if isinstance(outcome, Answered)]
    total = Spent(200, sum(each.input_tokens for each in replies), sum(each.output_tokens for each in replies))
    assert model.spent == total
    assert model.spent - total == Spent()


def test_a_closed_model_says_so() -> None:
    model = TinyChat()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.chat([asked()])
