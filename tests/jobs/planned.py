"""A small planned run, filled by hand: for what looks at runs and needs no model and no Ray."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config import Experiment
from engine.outcome import Failed, FailureKind
from engine.rows import inputs_digest, make_row
from engine.store.opening import open_backend
from engine.store.plans import Plan, bind_name, save_plan
from engine.store.results import Results
from jobs.opened_run import OpenedRun, open_run
from jobs.people_source import commit_people, read_shards
from jobs.planning import Prepared, commit_queries, make_plan, prepare

NAME = "small"


@dataclass(frozen=True)
class Planned:
    """A run's store, and what its driver would know."""

    store: Path
    prepared: Prepared
    plan: Plan

    def open(self) -> OpenedRun:
        """The run as a command finds it."""
        return open_run(str(self.store), NAME)

    def fill(self, *shards: int) -> None:
        """Commit a result of every stage on these shards; all rows failed."""
        results = Results(open_backend(str(self.store)))
        failed = Failed("made-up", "never computed", FailureKind.PERMANENT)
        for index in shards:
            shard = self.plan.shards[index]
            for stage in self.prepared.workflow.stages:
                units = self.prepared.workflow.units(shard, stage)
                results.commit(stage, shard.key, [make_row(stage, unit, failed, inputs_digest([])) for unit in units])


def planned(store: Path, *, people: int, shard_size: int, **choices: Any) -> Planned:
    """Plan a run of grammar people and bind its name, as a driver does before it takes the lease; `choices` of the experiment."""
    experiment = {"name": NAME, "shard_size": shard_size, "people": {"grammar": people}, "methods": ["baseline"], "writers": ["template"]}
    prepared, backend = prepare(Experiment.model_validate({**experiment, **choices})), open_backend(str(store))
    read = read_shards(prepared.experiment, prepared.workflow.people)
    plan, results = make_plan(prepared, read), Results(backend)
    commit_people(read, results, prepared.workflow.people)
    commit_queries(prepared, plan, results)
    save_plan(backend, plan)
    bind_name(backend, NAME, plan.run, prepared.identity)
    return Planned(store, prepared, plan)
