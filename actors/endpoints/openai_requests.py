"""Bodies for OpenAI-compatible servers, and how they follow a server that does not take a parameter.

The models' and servers' dialects differ and change, so none is known by name. A server that refuses a parameter (400 or 422) is obeyed
where the request keeps its meaning, once and from then on:

    max_tokens, max_completion_tokens   the one instead of the other
    seed                                left out: a provider's seed is an attempt at repeating, not a promise
    temperature, top_p, n of 1          left out: that is what their absence means where they are refused (reasoning models)

Anything else that is refused is the writer's to change: a reasoning model needs `temperature: 1` in the experiment.
"""

from __future__ import annotations

import base64
import json
from typing import Any, Literal

from engine.generation.chat import ChatRequest, Message

Api = Literal["chat", "completions"]

PATHS: dict[Api, str] = {"chat": "/chat/completions", "completions": "/completions"}

_LENGTHS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NEUTRAL_AT_ONE = ("temperature", "top_p", "n")
_SEED_BITS = 31
"""Some servers read a seed as int32."""


class Dialect:
    """Which parameters a server takes, as far as it has complained."""

    def __init__(self, api: Api, *, own: bool) -> None:
        """`own`: OpenAI itself, whose newer models know only `max_completion_tokens`; elsewhere `max_tokens` is the common word."""
        self._api = api
        self._length = "max_completion_tokens" if own and api == "chat" else "max_tokens"
        self._left_out: set[str] = set()
        self._swapped = False

    def body(self, model: str, request: ChatRequest) -> dict[str, Any]:
        """The request as this server takes it."""
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": model,
            **_asked(self._api, request),
            self._length: sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "n": sampling.n,
            "seed": request.seed & (1 << _SEED_BITS) - 1,
        }
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if request.schema:
            body["response_format"] = _format(json.loads(request.schema))
        return {name: value for name, value in body.items() if name not in self._left_out or (name in _NEUTRAL_AT_ONE and value != 1)}

    def follows(self, refused: str, body: dict[str, Any]) -> bool:
        """Whether the next body does without the parameter that this one was refused for."""
        if refused not in body:
            return False
        if refused in _LENGTHS:
            other = _LENGTHS[refused]
            if self._length == other:
                return True  # another request of this moment found it out first
            if self._swapped or self._api == "completions":
                return False
            self._length, self._swapped = other, True
            return True
        if refused == "seed" or (refused in _NEUTRAL_AT_ONE and body[refused] == 1):
            self._left_out.add(refused)
            return True
        return False


def _asked(api: Api, request: ChatRequest) -> dict[str, Any]:
    if api == "chat":
        return {"messages": [{"role": message.role, "content": _content(message)} for message in request.messages]}
    # A model without roles goes on where the text ends: the turns with a blank line between, and a line of its own for the answer.
    return {"prompt": "\n\n".join(message.content for message in request.messages) + "\n"}


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A turn's text; with pictures, a part for each of them and then the text."""
    if not message.pictures:
        return message.content
    shown = [{"type": "image_url", "image_url": {"url": _data_url(picture)}} for picture in message.pictures]
    return [*shown, {"type": "text", "text": message.content}] if message.content else shown


def _data_url(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": _is_closed(schema)}}


def _is_closed(schema: Any) -> bool:
    """Whether every object names all its properties and requires them: what OpenAI's strict mode asks of a schema."""
    if isinstance(schema, list):
        return all(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        return False
    return all(map(_is_closed, schema.values()))
