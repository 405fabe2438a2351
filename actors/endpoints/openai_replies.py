"""Replies of OpenAI-compatible servers, chat and completions, as outcomes."""

from __future__ import annotations

from typing import Any

from actors.endpoints.http import Unusable
from actors.endpoints.usage import Usage, guessed_input, guessed_tokens, usage_of
from engine.generation.chat import ENDPOINT_REFUSED, MODEL_CHANGED, ChatRequest, Choice, Reply
from engine.generation.reading import read_reply
from engine.outcome import Failed, Outcome, Refused

_BROKEN = frozenset({"abort", "error"})
"""How vLLM and gateways mark a reply that ended in the middle."""


def expect_choices(reply: dict[str, Any]) -> None:
    """Raises Unusable for a reply that another try may mend: no list of choices, or one that the server broke off."""
    choices = reply.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise Unusable("the reply has no choices")
    for choice in choices:
        if choice.get("finish_reason") in _BROKEN:
            raise Unusable("the server broke the reply off")


def outcome_of(request: ChatRequest, reply: dict[str, Any], revision: str) -> Outcome[Reply]:
    """What a reply means for its row; `revision` is the model that must have answered, empty for any."""
    model = str(reply.get("model") or "")
    if revision and model != revision:
        return Failed(
            MODEL_CHANGED, f"The reply comes from '{model}', the writer's revision is '{revision}'. Plan with the model that answers now."
        )
    told = sorted(reply["choices"], key=_index)
    for choice in told:
        refusal = _message(choice).get("refusal")
        if refusal or choice.get("finish_reason") == "content_filter":
            return Refused(str(refusal) if refusal else _text(choice) or "content_filter")
    choices = tuple(Choice(_text(choice), "length" if choice.get("finish_reason") == "length" else "stop") for choice in told)
    if choices and len(choices) != request.sampling.n:
        return Failed(ENDPOINT_REFUSED, f"The endpoint gave {len(choices)} replies instead of {request.sampling.n}.")
    used = usage_of(reply) or guessed_usage(request, reply)
    return read_reply(request, Reply(choices, model, used.input_tokens, used.output_tokens))


def guessed_usage(request: ChatRequest, reply: dict[str, Any]) -> Usage:
    """For a reply that names no tokens: from the lengths of the texts."""
    return Usage(
        guessed_input(request), sum(guessed_tokens(_text(choice)) for choice in reply.get("choices") or () if isinstance(choice, dict))
    )


def _index(choice: dict[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _message(choice: dict[str, Any]) -> dict[str, Any]:
    message = choice.get("message")
    return message if isinstance(message, dict) else {}


def _text(choice: dict[str, Any]) -> str:
    """A choice's text: of a message, a message in parts, or a completion."""
    content = _message(choice).get("content") if "message" in choice else choice.get("text")
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
