"""A made-up benchmark whose stages only wait: what is left beside the waiting is what scheduling and committing cost.

A plan's identity says it all: {"units", "shard_size", "waits_ms": [...], "sigma", "seed"}; each stage waits its time for each unit,
log-normally spread by `sigma` around it (its mean, not its median) and seeded by the unit. Every stage has an actor, and so may have a
pool of its own. With "bytes" every row carries that many of floats, as vectors do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from engine.keys import content_key, seed_of
from engine.outcome import Answered, Outcome
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.store.plans import Plan, Shard, Subject, run_id, save_plan
from engine.store.results import Results

PAYLOAD = pa.schema([("waited_ms", pa.float64()), ("data", pa.list_(pa.float32()))])


class Wait(Stage[float]):
    """Waits once for each unit; its value is how long."""

    version = 1
    per = "person"
    payload = PAYLOAD

    def __init__(self, number: int, mean_ms: float, sigma: float, seed: int, size: int, *inputs: Stage[Any]) -> None:
        self.kind, self.inputs = f"wait{number}", inputs
        self.actor = f"waiter{number}"
        self._mean_ms, self._sigma, self._seed, self._size = mean_ms, sigma, seed, size

    def parameters(self) -> Mapping[str, Any]:
        return {"mean_ms": self._mean_ms, "sigma": self._sigma, "seed": self._seed, "bytes": self._size}

    def request(self, unit: Unit, *inputs: Any) -> float:
        return self.wait_ms(unit.key)

    def wait_ms(self, unit: str) -> float:
        """How long this stage waits for a unit."""
        if not self._sigma:
            return self._mean_ms
        drawn = np.random.Generator(np.random.PCG64(seed_of(unit, self.kind, str(self._seed)))).standard_normal()
        return float(self._mean_ms * np.exp(self._sigma * drawn - self._sigma**2 / 2))

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [Answered(actor(request)) for request in requests]

    def encode(self, value: float) -> dict[str, Any]:
        # Of the value, so that equal rows have equal bytes.
        drawn = np.random.Generator(np.random.PCG64(int(value * 1e6))).random(self._size // 4, dtype=np.float32)
        return {"waited_ms": value, "data": drawn}

    def decode(self, columns: dict[str, Any]) -> float:
        return float(columns["waited_ms"])


class Waiting:
    """The workflow: a source, and a chain of stages that wait."""

    def __init__(self, identity: Mapping[str, Any]) -> None:
        sigma, seed, size = float(identity["sigma"]), int(identity["seed"]), int(identity.get("bytes", 0))
        self.source = Wait(0, 0.0, 0.0, 0, 0)
        self.stages: list[Wait] = []
        for number, mean_ms in enumerate(identity["waits_ms"], start=1):
            self.stages.append(Wait(number, float(mean_ms), sigma, seed, size, self.stages[-1] if self.stages else self.source))

    @property
    def finals(self) -> list[Wait]:
        return self.stages[-1:]

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        return [Unit(subject.key, subject.key) for subject in shard.subjects]

    def actors(self, options: Mapping[str, Any]) -> Any:
        return lambda name: _wait

    def seconds(self, plan: Plan) -> dict[str, float]:
        """What each stage waits in all."""
        units = [subject.key for shard in plan.shards for subject in shard.subjects]
        return {stage.kind: sum(map(stage.wait_ms, units)) / 1000 for stage in self.stages}


def _wait(milliseconds: float) -> float:
    time.sleep(milliseconds / 1000)
    return milliseconds


def from_plan(plan: Plan, results: Results) -> Waiting:
    """The workflow of a plan (`jobs.workflow`)."""
    return Waiting(plan.identity)


def plan_of(identity: Mapping[str, Any], results: Results) -> tuple[Plan, Waiting]:
    """A plan saved with its source."""
    workflow = Waiting(identity)
    keys = [content_key([number, json.dumps(identity, sort_keys=True)]) for number in range(identity["units"])]
    subjects = [Subject(key, f"unit-{number}", f"unit-{number}") for number, key in enumerate(keys)]
    size = int(identity["shard_size"])
    shards = tuple(Shard.of(subjects[start : start + size]) for start in range(0, len(subjects), size))
    for shard in shards:
        rows = [make_row(workflow.source, Unit(s.key, s.key), Answered(0.0), inputs_digest([])) for s in shard.subjects]
        results.commit(workflow.source, shard.key, rows)
    plan = Plan(run_id(identity), identity, Shard.of([]), shards, False, len(subjects))
    save_plan(results.backend, plan)
    return plan, workflow
