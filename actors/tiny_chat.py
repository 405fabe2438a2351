"""`tiny-chat`: a stand-in beside the real language models without weights, to rehearse a cluster, test and measure.

It answers at once with words of the last message, strung together. They mean nothing; no score of them says anything about a method.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from random import Random
from typing import Any

from actors.pictures import unseen
from engine.errors import ModelError
from engine.generation.chat import ChatRequest, Choice, Reply, Spent
from engine.keys import content_key, seed_of
from engine.outcome import Answered, Outcome, Unparsed

NAME = "tiny-chat"
VERSION = "1"
SHORTEST, LONGEST = 12, 48
"""Words of an answer that ends by itself."""


class TinyChat:
    """Replies that are a function of the messages and the seed (greedy: of the messages alone), in any batch and on any machine.

    A token is a word between spaces. An answer ends with a full stop after 12 to 48 words, has a comma now and then, and is cut at
    `max_tokens` and at `stop`. With a schema it is the least JSON that fits; Unparsed for a schema beyond objects, arrays, enums and
    plain values. It does not see: Failed for a call with pictures.
    """

    id = f"{NAME}@{VERSION}"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent = Spent()
        self._open = True

    @property
    def spent(self) -> Spent:
        """Calls and their tokens; free of charge."""
        return self._spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order. Raises ModelError after `close`."""
        if not self._open:
            raise ModelError(f"The model {self.id} is closed.", code="model-closed")
        return [self._reply(request) for request in requests]

    def close(self) -> None:
        """`chat` raises afterwards."""
        self._open = False

    def _reply(self, request: ChatRequest) -> Outcome[Reply]:
        if blind := unseen(request, self.id):
            return blind
        choices = tuple(_choice(request, number) for number in range(request.sampling.n))
        said = " ".join(message.content for message in request.messages)
        reply = Reply(choices, self.id, len(said.split()), sum(len(choice.text.split()) for choice in choices))
        with self._lock:
            self._spent += Spent(1, reply.input_tokens, reply.output_tokens)
        texts = [choice.text for choice in choices]
        return Answered(reply) if all(texts) else Unparsed("")


def _choice(request: ChatRequest, number: int) -> Choice:
    if request.schema:
        return Choice(_least(request.schema), "stop")
    sampling = request.sampling
    drawn = str(request.seed) if sampling.temperature else "greedy"
    asked = content_key([[message.role, message.content] for message in request.messages])
    random = Random(seed_of(NAME, VERSION, asked, drawn, str(number)))
    # Random.random is the one method whose stream Python promises to keep.
    words = request.messages[-1].content.split() if request.messages else []
    length = sampling.max_tokens if sampling.fixed_length else SHORTEST + int(random.random() * (LONGEST + 1 - SHORTEST))
    string = [words[int(random.random() * len(words))].strip(".,;:") or "and" for _ in range(length if words else 0)]
    marks = ["," if random.random() < 0.2 else "" for _ in string]
    text = " ".join(word + mark for word, mark in zip(string[: sampling.max_tokens], marks, strict=False)).rstrip(",")
    ended = len(string) <= sampling.max_tokens and not sampling.fixed_length
    text += "." if ended and text else ""
    stops = [place for place in map(text.find, sampling.stop) if place >= 0]
    return Choice(text[: min(stops)].rstrip(), "stop") if stops else Choice(text, "stop" if ended else "length")


def _least(schema: str) -> str:
    try:
        return json.dumps(_instance(json.loads(schema)), ensure_ascii=False)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _instance(schema: dict[str, Any]) -> Any:
    """The least value that fits a schema. Raises LookupError for one that says less or more than what is known here."""
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {name: _instance(schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "array":
        return [_instance(schema["items"]) for _ in range(schema.get("minItems", 0))]
    least = {"string": "x" * schema.get("minLength", 1), "boolean": False, "null": None}
    return schema.get("minimum", 0) if kind in ("integer", "number") else least[kind]
