"""What a Ray actor does with a shard reference: rebuild the stages from the plan once, then bring shards through them."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.errors import CorruptObject, MienError, Missing, StoreError
from engine.store.opening import open_backend
from engine.store.plans import load_plan
from engine.store.results import Results
from jobs.actor_factory import ActorFactory
from jobs.shard_runner import Retry, ShardRunner, StageTally
from jobs.vptt import from_plan

ABSENT = -1
"""In a shard reference: the stage has no result yet."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker needs beside the plan; small, since it travels with every actor."""

    store: str
    run: str
    encoder: str
    threads: int


class ShardWorker:
    """A callable for `map_batches(batch_size=1)`: a shard reference in, a shard reference with what was done out (both under 1 KB)."""

    def __init__(self, settings: WorkerSettings) -> None:
        backend = open_backend(settings.store)
        plan = load_plan(backend, settings.run)
        if plan is None:
            raise StoreError(f"Run {settings.run} has no plan in {settings.store}.", remedy="Every node must reach the same store.")
        results = Results(backend, repair=True)
        workflow, models = from_plan(plan, results)
        actors = ActorFactory(settings.encoder, models, workflow.ceilings.definition, threads=settings.threads)
        self._plan, self._stages = plan, workflow.stages
        self._runner = ShardRunner(results, self._stages, actors, workflow.units)
        # Cached vectors are many long-lived objects and no cycles: full collections would walk them ever longer for nothing.
        gc.freeze()
        gc.set_threshold(10_000, 20, 1_000)

    def __call__(self, batch: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, list[Any]]:
        reference = ShardReference.of(batch)
        started = time.time()
        done = {stage.id: overlay for stage, overlay in zip(self._stages, reference.done, strict=True) if overlay != ABSENT}
        retry = Retry(reference.retry_code) if reference.retry else None
        tallies: dict[str, StageTally] = {}
        error: dict[str, Any] = {}
        try:
            tallies = self._runner.run(self._plan.shards[reference.shard], done, inspect=reference.inspect, retry=retry)
        except MienError as failure:
            # Told to the driver as a row: Ray would wrap an exception beyond recognition.
            again = isinstance(failure, CorruptObject | Missing)
            error = {"kind": type(failure).__name__, "message": failure.message, "remedy": failure.remedy, "again": again}
        order = {stage.id: index for index, stage in enumerate(self._stages)}
        compact = [[order[id_], t.rows, t.failed, round(t.seconds, 4)] for id_, t in tallies.items() if not t.skipped]
        return {
            "shard": [reference.shard],
            "tallies": [json.dumps(compact)],
            "error": [json.dumps(error)],
            "started": [started],
            "ended": [time.time()],
        }


@dataclass(frozen=True, slots=True)
class ShardReference:
    """The row that moves through Ray: which shard, what it has, whether its lineage is to be inspected and failed units tried again."""

    shard: int
    done: tuple[int, ...]
    inspect: bool
    retry: bool
    retry_code: str

    def row(self) -> dict[str, Any]:
        """As a Ray row."""
        return {**asdict(self), "done": json.dumps(self.done)}

    @classmethod
    def of(cls, batch: Mapping[str, np.ndarray[Any, Any]]) -> ShardReference:
        """From a batch of one row."""
        done = tuple(json.loads(str(batch["done"][0])))
        return cls(int(batch["shard"][0]), done, bool(batch["inspect"][0]), bool(batch["retry"][0]), str(batch["retry_code"][0]))
