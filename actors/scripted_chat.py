"""`script`: a stand-in for a judging language model with known habits, to check that reports find them. It has no opinion.

It sees what any judge sees, the messages, and answers in the same form, so that everything behind it is the real thing.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Sequence
from random import Random
from typing import Any

import regex

from engine.generation.chat import ChatRequest, Choice, Reply, Spent
from engine.generation.reading import read_reply
from engine.judge_config import Script
from engine.keys import content_key, seed_of
from engine.outcome import Outcome
from engine.tokens import tokens

NAME = "script"
VERSION = "1"

_CANDIDATE = regex.compile(r"^Candidate ?([AB]?): (.*)$", regex.MULTILINE)
_GRADE = regex.compile(r"\bgrade (\d+)\b")
_KIN = regex.compile(r"\bby ([a-z]+)\b")


def script_id(script: Script, family: str) -> str:
    """Name, version and a digest of its habits."""
    return f"{NAME}-{VERSION}.{content_key([script.model_dump(mode='json'), family])[:8]}"


class ScriptedChat:
    """A `ChatModel` that answers judges' questions by `Script`; a function of the messages and the seed."""

    def __init__(self, script: Script, family: str = "") -> None:
        self.id = script_id(script, family)
        self._script, self._family = script, family
        self._lock, self._spent = threading.Lock(), Spent()

    @property
    def spent(self) -> Spent:
        """Calls and their words; free of charge."""
        return self._spent

    def chat(self, requests: Sequence[ChatRequest]) -> list[Outcome[Reply]]:
        """One outcome a request, in order; ends the process at a share `dies` of them, as a driver's fault would."""
        return [self._reply(request) for request in requests]

    def close(self) -> None:
        """Nothing to let go of."""

    def _reply(self, request: ChatRequest) -> Outcome[Reply]:
        said = " ".join(message.content for message in request.messages)
        random = Random(seed_of(NAME, VERSION, content_key(said), str(request.seed)))
        fate = random.random()
        script = self._script
        if fate < script.dies:
            os._exit(1)
        text = self._answer(request, random)
        if fate < script.dies + script.refuses:
            text = "I'm sorry, but I can't help with that."
        elif fate < script.dies + script.refuses + script.garbles:
            text = text[: len(text) // 2]
        reply = Reply((Choice(text, "stop"),), self.id, len(said.split()), len(text.split()))
        with self._lock:
            self._spent += Spent(1, reply.input_tokens, reply.output_tokens)
        return read_reply(request, reply)

    def _answer(self, request: ChatRequest, random: Random) -> str:
        shown: dict[str, str] = dict(_CANDIDATE.findall(request.messages[-1].content))
        properties = json.loads(request.schema)["properties"]
        if "" in shown:
            drawn = random.gauss(_grade(shown[""]), self._script.noise)
            return _filled(properties, score=int(min(5, max(0, math.floor(drawn + 0.5)))))
        name = "preferred" if "preferred" in properties else "shared"
        choice = self._script.always or self._choice(shown["A"], shown["B"], "tie" in properties[name]["enum"], random)
        return _filled(properties, **{name: choice})

    def _choice(self, first: str, second: str, may_tie: bool, random: Random) -> str:
        script = self._script
        lengths = math.log2(max(1, len(tokens(first))) / max(1, len(tokens(second))))
        kin = int(self._is_kin(first)) - int(self._is_kin(second))
        d = script.scale * (_grade(first) - _grade(second)) + script.position + script.length * lengths + script.kin * kin
        weights = (math.exp(d / 2), script.tie if may_tie else 0.0, math.exp(-d / 2))
        drawn = random.random() * sum(weights)
        return "A" if drawn < weights[0] else "tie" if drawn < weights[0] + weights[1] else "B"

    def _is_kin(self, text: str) -> bool:
        found = _KIN.search(text)
        return found is not None and found[1] == self._family


def _grade(text: str) -> float:
    found = _GRADE.search(text)
    return float(found[1]) if found else 0.0


def _filled(properties: dict[str, Any], **verdict: Any) -> str:
    """The reply in the rubric's form: the verdict, and least values elsewhere."""

    def least(field: dict[str, Any]) -> Any:
        return field["enum"][0] if "enum" in field else {"number": 0.5, "integer": 0}.get(field["type"], "as scripted")

    return json.dumps({name: verdict.get(name, least(field)) for name, field in properties.items()})
