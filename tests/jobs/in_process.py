"""A small run in one process: planned and stored as a driver does it, its stages run without Ray. For what reads finished runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.config import Experiment
from engine.store.opening import open_backend
from engine.store.plans import bind_name, save_plan
from engine.store.results import Results
from jobs.actor_factory import actor_options
from jobs.calling import Caller
from jobs.given_prompts import commit_given
from jobs.loading import Loader
from jobs.opened_run import OpenedRun, open_run, save_settings
from jobs.people_source import commit_people, read_shards
from jobs.planning import commit_queries, make_plan, prepare
from jobs.shard_runner import ShardRunner

SMALL: Mapping[str, Any] = {
    "encoder": "tiny-trigrams",
    "second_encoder": "",
    "cross_fit": 0,
    "methods": ["baseline", "vprag"],
    "shard_size": 4,
}
"""The tiny encoder, and nothing that needs a second space or phase."""


def evaluated(store: Path, name: str, **choices: Any) -> OpenedRun:
    """A whole run called `name` of `SMALL` with other choices."""
    prepared = prepare(Experiment.model_validate({**SMALL, "name": name, **choices}))
    workflow, backend = prepared.workflow, open_backend(str(store))
    people = read_shards(prepared.experiment, workflow.people, assigned=prepared.own.assignment)
    plan, results = make_plan(prepared, people), Results(backend)
    commit_people(people, results, workflow.people)
    commit_queries(prepared, plan, results)
    commit_given(workflow, plan, results, prepared.own)
    save_plan(backend, plan)
    bind_name(backend, name, plan.run, prepared.identity)
    save_settings(backend, plan.run, prepared.experiment)
    actors = Loader(workflow.actors(actor_options(prepared.experiment, str(store))))
    for shard in plan.shards:
        ShardRunner(results, workflow.stages, Caller(actors), workflow.units).run(shard, {})
    return open_run(str(store), name)
