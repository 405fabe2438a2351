"""A made-up benchmark for tests of the machinery: chains of stages whose rows hold one text, answered by actors that can go wrong.

A plan's identity says it all: {"chain": [[kind, actor], ...]}; every stage reads the one before it, the first reads the source.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.keys import content_key
from engine.outcome import Answered, Outcome
from engine.stage import Stage, Unit
from engine.store.plans import Plan
from engine.store.results import Results
from tests.workflows.chain import Chain, save_chain

PAYLOAD = pa.schema([("text", pa.string())])


class Text(Stage[str]):
    """One text a subject."""

    version = 1
    per = "person"
    payload = PAYLOAD

    def __init__(self, kind: str, actor: str, *inputs: Stage[Any]) -> None:
        self.kind, self.actor, self.inputs = kind, actor, inputs

    def parameters(self) -> Mapping[str, Any]:
        return {"actor": self.actor or ""}

    def request(self, unit: Unit, *inputs: Any) -> Any:
        return inputs[0]

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [Answered(actor(request)) for request in requests]

    def encode(self, value: str) -> dict[str, Any]:
        return {"text": value}

    def decode(self, columns: dict[str, Any]) -> str:
        text: str = columns["text"]
        return text


class Texts(Chain):
    """The workflow of a chain of (kind, actor)."""

    def __init__(self, chain: Sequence[tuple[str, str]]) -> None:
        stages = [Text("source", "")]
        for kind, actor in chain:
            stages.append(Text(kind, actor, stages[-1]))
        super().__init__(stages[0], stages[1:])

    def actors(self, options: Mapping[str, Any]) -> Any:
        return lambda name: ACTORS[name](options)


def plan_of(texts: Sequence[str], chain: Sequence[tuple[str, str]], shard_size: int, results: Results) -> tuple[Plan, Texts]:
    """A plan over `texts`, one subject each, saved with its source."""
    workflow = Texts(chain)
    identity = {"chain": [list(pair) for pair in chain], "texts": content_key(list(texts)), "shard_size": shard_size}
    return save_chain(workflow, identity, texts, shard_size, results), workflow


def from_plan(plan: Plan, results: Results) -> Texts:
    """The workflow of a plan (`jobs.workflow`)."""
    return Texts([(kind, actor) for kind, actor in plan.identity["chain"]])


def _digest(options: Mapping[str, Any]) -> Any:
    return lambda text: hashlib.sha256(text.encode()).hexdigest()


def _random(options: Mapping[str, Any]) -> Any:
    """Not deterministic: every computation gives another value (STORAGE, what must be shown)."""
    return lambda text: f"{text} {secrets.token_hex(16)}"


def _poisoned(options: Mapping[str, Any]) -> Any:
    """Does what the text says."""

    def answer(text: str) -> str:
        match "" if options.get("mended") else text.split()[0]:
            case "exit":
                os._exit(int(text.split()[1]))
            case "segfault":
                import ctypes

                ctypes.string_at(0)
            case "sleep":
                time.sleep(3600)
            case "spin":  # never lets go of the interpreter: a regular expression in C
                import re

                re.match(r"(a|aa)+$", "a" * 200 + "b")
        return text.upper()

    return answer


def _flaky(options: Mapping[str, Any]) -> Any:
    """Fails to load `fails` times, counted in a file that every process sees."""
    path = Path(options["count"])
    with path.open("a") as file:
        file.write("x")
    if path.stat().st_size <= options["fails"]:
        raise RuntimeError("the weights did not load this time")
    return lambda text: text.upper()


def _dying(options: Mapping[str, Any]) -> Any:
    """An engine that dies once, in whichever process meets it first, and then stays dead in that process."""
    path = Path(options["count"])

    class EngineDeadError(RuntimeError):
        """As vLLM's."""

    def answer(text: str) -> str:
        if not path.exists():
            path.touch()
            raise EngineDeadError("the engine core is gone")
        return text.upper()

    return answer


ACTORS = {"digest": _digest, "random": _random, "poisoned": _poisoned, "flaky": _flaky, "dying": _dying}
