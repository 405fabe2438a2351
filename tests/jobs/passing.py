"""Passes over a planned run in this very process: stages, actors, workers and what is found open are real, only Ray is not there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from engine.rows import Row
from engine.stage import Stage
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.actor_factory import actor_options
from jobs.progress import progress_of
from jobs.references import ShardReference
from jobs.remaining import remaining
from jobs.shard_runner import Retry
from jobs.vptt import Vptt
from jobs.worker import ShardWorker, WorkerSettings
from tests.jobs.planned import Planned


def results_of(made: Planned) -> Results:
    """The run's results, as its driver holds them."""
    return Results(open_backend(str(made.store)), repair=True)


def open_shards(made: Planned, phase: int, retry: Retry | None = None) -> list[ShardReference]:
    """What a pass finds open of a phase."""
    results, workflow = results_of(made), made.prepared.workflow
    progress = progress_of(workflow, results)
    return remaining(workflow, made.plan, results, progress, retry or Retry(), phase=workflow.phases[phase])


def advance(made: Planned, phase: int, *, retry: Retry | None = None, shards: Collection[int] | None = None) -> list[ShardReference]:
    """One pass over what is open of a phase (on some shards only), and each shard as its worker gave it back."""
    results, workflow, experiment = results_of(made), made.prepared.workflow, made.prepared.experiment
    open_ = open_shards(made, phase, retry)
    options = {
        **actor_options(experiment, results.backend.uri),
        **workflow.before(phase, made.plan, results, progress_of(workflow, results)),
    }
    ids = tuple(stage.id for stage in workflow.phases[phase])
    settings = WorkerSettings(results.backend.uri, made.plan.run, Vptt.__module__, options, 60, operator=f"pass-{phase}", stages=ids)
    worker, ended = ShardWorker(settings), []
    for reference in open_:
        if shards is None or reference.shard in shards:
            reply = worker({name: np.array([value]) for name, value in reference.row().items()})
            ended.append(ShardReference.of({name: values[0] for name, values in reply.items()}))
    return ended


def run_here(made: Planned) -> Planned:
    """Every phase, to the end."""
    for phase in range(len(made.prepared.workflow.phases)):
        for ended in advance(made, phase):
            assert ended.trouble is None, ended.trouble
    return made


def rows_of(made: Planned, stage: Stage[Any]) -> dict[str, Row[Any]]:
    """Unit key -> row, over all shards, each from its highest overlay."""
    results, found = results_of(made), {}
    done = results.done(stage)
    for shard in made.plan.shards:
        found.update(results.read(stage, shard.key, overlays=done[shard.key[:16]]))
    return found
