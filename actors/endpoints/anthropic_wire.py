"""Anthropic's messages: a request as a body, replies and errors as outcomes (https://docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from actors.endpoints.http import Unusable
from actors.endpoints.usage import usage_of
from actors.endpoints.verdicts import Unanswered
from engine.generation.chat import ENDPOINT_REFUSED, MODEL_CHANGED, ChatRequest, Choice, Message, Reply
from engine.generation.reading import read_reply
from engine.outcome import Failed, Outcome, Refused

Json = dict[str, Any]

PATH = "/messages"
TOOL = "reply"
"""The tool that a model has to call where a schema is given: its input is the reply."""

HOTTEST = 1.0
"""Anthropic's highest temperature."""


def message_body(model: str, request: ChatRequest) -> Json:
    """A request for one reply; there is no seed. Raises Unanswered for a schema that is no object's: a tool's input is one."""
    sampling = request.sampling
    body: Json = {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "messages": [{"role": each.role, "content": _content(each)} for each in request.messages if each.role != "system"],
        "temperature": sampling.temperature,
    }
    if system := "\n\n".join(each.content for each in request.messages if each.role == "system"):
        body["system"] = system
    if sampling.top_p < 1:
        body["top_p"] = sampling.top_p
    if sampling.stop:
        body["stop_sequences"] = list(sampling.stop)
    if request.schema:
        schema = json.loads(request.schema)
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise Unanswered(Failed(ENDPOINT_REFUSED, "Anthropic can be held to a JSON schema only if it is an object's."))
        body["tools"] = [{"name": TOOL, "description": "Takes the reply.", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
    return body


def expect_message(reply: Json) -> None:
    """Raises Unusable for a reply that another try may mend: it holds no list of content."""
    content = reply.get("content")
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise Unusable("the reply has no content")


def outcome_of(request: ChatRequest, replies: Sequence[Json], revision: str) -> Outcome[Reply]:
    """What the `n` replies to a request mean for its row; `revision` is the model that must have answered, empty for any."""
    choices, taken = [], [0, 0]
    for reply in replies:
        model = str(reply.get("model") or "")
        if revision and model != revision:
            message = f"The reply comes from '{model}', the writer's revision is '{revision}'. Plan with the model that answers now."
            return Failed(MODEL_CHANGED, message)
        if reply.get("stop_reason") == "refusal":
            return Refused(_text(reply) or _explanation(reply) or "refusal")
        cut = reply.get("stop_reason") in ("max_tokens", "model_context_window_exceeded")
        choices.append(Choice(_input(reply) if request.schema else _text(reply), "length" if cut else "stop"))
        if (usage := usage_of(reply)) is not None:
            taken = [taken[0] + usage.input_tokens, taken[1] + usage.output_tokens]
    return read_reply(request, Reply(tuple(choices), str(replies[0].get("model") or ""), *taken))


def _content(message: Message) -> str | list[Json]:
    """A turn's text; with pictures, a block for each of them and then the text."""
    if not message.pictures:
        return message.content
    sources = [{"type": "base64", "media_type": "image/png", "data": base64.b64encode(each).decode()} for each in message.pictures]
    shown: list[Json] = [{"type": "image", "source": source} for source in sources]
    # A text block must not be empty there.
    return [*shown, {"type": "text", "text": message.content}] if message.content else shown


def _text(reply: Json) -> str:
    return "".join(str(block.get("text") or "") for block in reply["content"] if block.get("type") == "text")


def _input(reply: Json) -> str:
    """What the forced tool was called with, as JSON; the text if the model did not call it."""
    called = next((block for block in reply["content"] if block.get("type") == "tool_use" and block.get("name") == TOOL), None)
    return _text(reply) if called is None else json.dumps(called.get("input"), ensure_ascii=False)


def _explanation(reply: Json) -> str:
    details = reply.get("stop_details")
    return str(details.get("explanation") or details.get("category") or "") if isinstance(details, dict) else ""
