"""A language model for tests of the model builder: it answers any schema with new words, and goes wrong where it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from engine.generation.chat import ChatRequest, Choice, Reply, Spent
from engine.outcome import Answered, Outcome
from engine.profiles.model.sizes import Sizes

SYLLABLES = ("ka", "lo", "mi", "re", "su", "ta", "vo", "ne", "pi", "ru", "da", "go")
SMALL = Sizes(elements=2, captions=4, least=3, moments_together=2, captions_together=2, repairs=1)

Spoil = Callable[[ChatRequest], Outcome[Reply] | str | None]
"""An outcome or a text in place of the answer to a request; None: answer it."""


class InventiveChat:
    """Answers are a function of the request's seed."""

    id = "inventive@1"

    def __init__(self, spoil: Spoil = lambda request: None) -> None:
        self.spoil = spoil
        self.batches: list[list[ChatRequest]] = []
        self.spent = Spent()

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        self.batches.append(list(requests))
        self.spent += Spent(len(requests), 10 * len(requests), 5 * len(requests))
        return [self._outcome(request) for request in requests]

    def close(self) -> None:
        """Nothing to let go of."""

    def _outcome(self, request: ChatRequest) -> Outcome[Reply]:
        found = self.spoil(request)
        if found is None:
            found = json.dumps(invented(json.loads(request.schema), Random(request.seed)))
        return reply(found) if isinstance(found, str) else found


def reply(text: str) -> Answered[Reply]:
    """A reply with this text."""
    return Answered(Reply((Choice(text, "stop"),), InventiveChat.id, 10, 5))


def invented(schema: dict[str, Any], random: Random) -> Any:
    """A value that fits a schema."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    if schema["type"] == "array":
        return [invented(schema["items"], random) for _ in range(schema["minItems"])]
    if schema["type"] == "object":
        found = {name: invented(each, random) for name, each in schema["properties"].items()}
        if "uses" in found:
            found["text"] = f"{found['text']} {found['uses'][0]}."
        return found
    return " ".join(word(random) for _ in range(8 if schema.get("minLength", 0) > 10 else 1))


def word(random: Random) -> str:
    """A word that hardly comes twice."""
    return "".join(random.choice(SYLLABLES) for _ in range(6))
