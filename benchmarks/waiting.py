"""A made-up benchmark whose stages only wait: what is left beside the waiting is what scheduling and committing cost.

A plan's identity says it all: {"units", "shard_size", "waits_ms": [...], "sigma", "seed"}; each stage waits its time for each unit,
log-normally spread by `sigma` around it (its mean, not its median) and seeded by the unit. Every stage has an actor, and so may have a
pool of its own. With "bytes" every row carries that many of floats, as vectors do.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from engine.keys import seed_of
from engine.outcome import Answered, Outcome
from engine.stage import Stage, Unit
from engine.store.plans import Plan
from engine.store.results import Results
from tests.workflows.chain import Chain, save_chain

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


class Waiting(Chain):
    """The workflow: a source, and a chain of stages that wait."""

    def __init__(self, identity: Mapping[str, Any]) -> None:
        sigma, seed, size = float(identity["sigma"]), int(identity["seed"]), int(identity.get("bytes", 0))
        stages = [Wait(0, 0.0, 0.0, 0, 0)]
        for number, mean_ms in enumerate(identity["waits_ms"], start=1):
            stages.append(Wait(number, float(mean_ms), sigma, seed, size, stages[-1]))
        super().__init__(stages[0], stages[1:])

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
    return save_chain(workflow, identity, [0.0] * identity["units"], identity["shard_size"], results), workflow
