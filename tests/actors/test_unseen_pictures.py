"""Models that do not see say so for each call with a picture, and answer the others."""

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from actors.llamacpp import LlamaCpp
from actors.models import resolve
from actors.tiny_chat import TinyChat
from engine.generation.chat import ENDPOINT_REFUSED, ChatRequest, Message, Sampling, Spent
from engine.outcome import Answered, Failed, FailureKind

COFFEE = (Path(find_spec("skimage").origin).parent / "data" / "coffee.png").read_bytes()


def llamacpp():
    return LlamaCpp(resolve("smollm2-135m-instruct"), context=256)


@pytest.mark.parametrize("make", [TinyChat, llamacpp])
def test_a_call_with_a_picture_is_refused_and_never_answered_without_it(make):
    asked = [
        ChatRequest(f"row {row}", (Message("system", "Judge."), Message("user", "Which one is red?", pictures)), Sampling(8), row)
        for row, pictures in enumerate(((), (COFFEE,), (COFFEE, COFFEE), ()))
    ]
    with closing(make()) as model:
        first, one, two, last = model.chat(asked)
        assert isinstance(first, Answered)
        assert isinstance(last, Answered)
        for outcome in (one, two):
            assert isinstance(outcome, Failed)
            assert (outcome.code, outcome.kind) == (ENDPOINT_REFUSED, FailureKind.PERMANENT)
            assert f"{model.id} does not see" in outcome.message
        assert model.spent == Spent(2, first.value.input_tokens + last.value.input_tokens, model.spent.output_tokens)
