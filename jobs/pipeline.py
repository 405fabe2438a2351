"""Shard references through pools of actors, as a streaming Ray Dataset. The payload never passes here: workers read and commit it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.config import Execution, Pool
from engine.errors import MienError
from jobs.worker import ShardReference, ShardWorker, WorkerSettings

CALLS_IN_FLIGHT = 2
"""Shards queued at an actor, the one it works on included: above the 1.75 at which a Ray pool grows."""


@dataclass(frozen=True, slots=True)
class ShardDone:
    """What a worker says of a shard: per stage index (rows, failed, seconds), or why it must be done again."""

    shard: int
    tallies: tuple[tuple[int, int, int, float], ...]
    started: float
    ended: float
    again: str


def stream(ray: Any, references: Sequence[ShardReference], settings: WorkerSettings, execution: Execution) -> Iterator[ShardDone]:
    """Run the references through the workers; yields each shard as it ends, in no order.

    Raises MienError if a worker met an error that no other shard would escape (a full disk, missing weights).
    """
    _configure(ray, execution)
    pool = execution.encoder
    dataset = ray.data.from_items([reference.row() for reference in references], override_num_blocks=len(references))
    dataset = dataset.map_batches(
        ShardWorker,
        batch_size=1,
        batch_format="numpy",
        fn_constructor_args=(settings,),
        compute=_actors(ray, pool, len(references)),
        num_cpus=pool.cpus,
        num_gpus=pool.gpus,
    )
    for row in dataset.iter_rows():
        yield _done(row)


def pool_size(ray: Any, pool: Pool, shards: int) -> int:
    """Processes that can be of use: no more than shards, nor than the cluster's CPUs hold."""
    cpus = float(ray.cluster_resources().get("CPU", 1))
    fitting = int(cpus // pool.cpus) if pool.cpus else pool.max
    return max(1, min(pool.max, shards, max(fitting, pool.min)))


def _actors(ray: Any, pool: Pool, shards: int) -> Any:
    initial = pool_size(ray, pool, shards)
    return ray.data.ActorPoolStrategy(
        min_size=min(pool.min, initial),
        max_size=min(pool.max, shards),
        initial_size=initial,
        max_tasks_in_flight_per_actor=CALLS_IN_FLIGHT,
        max_concurrent_calls_per_actor=1,
    )


def _configure(ray: Any, execution: Execution) -> None:
    """Ray Data's defaults that do not suit a long run on spot nodes."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_consecutive_actor_init_deaths = 8  # one failed model load must not end a job
    context.execution_no_progress_timeout_s = execution.no_progress_timeout_s
    context.max_errored_blocks = 0  # Ray would drop whole shards


def _done(row: dict[str, Any]) -> ShardDone:
    error = json.loads(row["error"])
    if error and not error["again"]:
        raise _error(error)
    tallies = tuple((int(i), int(rows), int(failed), float(seconds)) for i, rows, failed, seconds in json.loads(row["tallies"]))
    return ShardDone(int(row["shard"]), tallies, float(row["started"]), float(row["ended"]), error.get("message", ""))


def _error(told: dict[str, str]) -> MienError:
    """The worker's error as the driver's, with its own exit code."""
    from engine import errors

    kind = getattr(errors, told["kind"])
    error: MienError = kind(told["message"], remedy=told["remedy"])
    return error
