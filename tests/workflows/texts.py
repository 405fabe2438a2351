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
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.store.plans import Plan, Shard, Subject, run_id, save_plan
from engine.store.results import Results

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


class Chain:
    """The workflow: a source and the stages behind it."""

    def __init__(self, chain: Sequence[tuple[str, str]]) -> None:
        self.source = Text("source", "")
        self.stages: list[Text] = []
        for kind, actor in chain:
            self.stages.append(Text(kind, actor, self.stages[-1] if self.stages else self.source))

    @property
    def finals(self) -> list[Text]:
        return self.stages[-1:]

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        return [Unit(subject.key, subject.key) for subject in shard.subjects]

    def actors(self, options: Mapping[str, Any]) -> Any:
        return lambda name: ACTORS[name](options)


def plan_of(texts: Sequence[str], chain: Sequence[tuple[str, str]], shard_size: int, results: Results) -> tuple[Plan, Chain]:
    """A plan over `texts`, one subject each, saved with its source."""
    workflow = Chain(chain)
    subjects = [Subject(content_key([index, text]), f"text-{index}", f"text-{index}") for index, text in enumerate(texts)]
    shards = tuple(Shard.of(subjects[start : start + shard_size]) for start in range(0, len(subjects), shard_size))
    by_key = {subject.key: text for subject, text in zip(subjects, texts, strict=True)}
    identity = {"chain": [list(pair) for pair in chain], "texts": content_key(list(texts)), "shard_size": shard_size}
    plan = Plan(run_id(identity), identity, Shard.of([]), shards, False, len(subjects))
    for shard in shards:
        rows = [make_row(workflow.source, Unit(s.key, s.key), Answered(by_key[s.key]), inputs_digest([])) for s in shard.subjects]
        results.commit(workflow.source, shard.key, rows)
    save_plan(results.backend, plan)
    return plan, workflow


def from_plan(plan: Plan, results: Results) -> Chain:
    """The workflow of a plan (`jobs.workflow`)."""
    return Chain([(kind, actor) for kind, actor in plan.identity["chain"]])


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
