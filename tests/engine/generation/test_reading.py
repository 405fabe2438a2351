import json

import pytest

from engine.generation.chat import ChatRequest, Choice, Message, Reply, Sampling
from engine.generation.reading import fits, read_reply
from engine.outcome import Answered, Unparsed

SCHEMA = json.dumps({"type": "object", "properties": {"age": {"type": "integer", "minimum": 18}}, "required": ["age"]})


def read(*texts, schema=""):
    request = ChatRequest("k", (Message("user", "ask"),), Sampling(n=len(texts) or 1), 1, schema)
    return read_reply(request, Reply(tuple(Choice(text, "stop") for text in texts), "m", 1, 1))


def test_text_is_an_answer_and_silence_is_not():
    assert isinstance(read("a prompt"), Answered)
    for texts in ((), ("",), (" \n",), ("one", "")):
        assert read(*texts) == Unparsed("")


@pytest.mark.parametrize("text", ['{"age": 18}', ' {"age": 40, "more": null}\n'])
def test_json_that_fits(text):
    assert isinstance(read(text, schema=SCHEMA), Answered)


@pytest.mark.parametrize("text", ['{"age": 17}', '{"age": "18"}', "{}", '{"age": 18', 'Sure: {"age": 18}', "[" * 100_000])
def test_anything_else_is_kept_as_it_was_said(text):
    assert read('{"age": 18}', text, schema=SCHEMA) == Unparsed(text)


def test_a_schema_that_is_none_is_the_callers_mistake():
    with pytest.raises(ValueError):
        fits("{}", "no schema")
