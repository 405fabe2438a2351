"""From an experiment to a plan: what will be run, under which id. Writes nothing until the plan is saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.config import Experiment
from engine.keys import content_key, file_sha256
from engine.outcome import Answered
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.stages.queries import query_key
from engine.store.names import short
from engine.store.plans import Plan, Shard, Subject, run_id
from engine.store.results import Results
from jobs.actor_factory import model_ids
from jobs.given_prompts import OwnPrompts, pool_of
from jobs.people_source import PeopleRead, count_people, source_id
from jobs.vptt import Vptt, vptt


@dataclass(frozen=True)
class Prepared:
    """An experiment resolved against its inputs and models; its run id is known before any person is read."""

    experiment: Experiment
    workflow: Vptt
    identity: dict[str, Any]
    own: OwnPrompts
    """What the files of the experiment's own methods hold; read when it is needed."""

    @property
    def run(self) -> str:
        """The run id."""
        return run_id(self.identity)


def prepare(experiment: Experiment) -> Prepared:
    """Resolve inputs and models. Raises InputError, ConfigError or ModelError before anything is written."""
    people, own = source_id(experiment.people), OwnPrompts(experiment)
    given = model_ids(experiment)
    assigned = own.assignment
    total = len(assigned.queries) if assigned else count_people(experiment.people)
    limit = experiment.people_limit(total)
    # A share of the people, or more than there are, is the same plan as the number it comes to.
    experiment = experiment.model_copy(update={"limit": str(limit) if limit < total else ""})
    pool = assigned.pool if assigned else pool_of(experiment)
    queries = f"sha256:{file_sha256(experiment.queries.file)}" if experiment.queries.file else "built-in"
    only = {"only": assigned.key} if assigned else {}
    models = {**given, "gallery": content_key({"people": people, "limit": experiment.limit, **only})}
    workflow = vptt(experiment, models, pool)
    identity = {
        "experiment": experiment.pinned(people, queries, models),
        "people": people,
        "models": models,
        "stages": workflow.fingerprints(),
    }
    return Prepared(experiment, workflow, identity, own)


def make_plan(prepared: Prepared, people: PeopleRead) -> Plan:
    """The plan of a run whose people have been read."""
    pool = prepared.workflow.pool
    queries = Shard.of([Subject(query_key(query), query.id, query.family) for query in pool])
    return Plan(prepared.run, prepared.identity, queries, tuple(shard for shard, _ in people.shards), people.partial, people.total)


def commit_queries(prepared: Prepared, plan: Plan, results: Results) -> None:
    """Store the pool, so that workers need no file of the driver's."""
    stage = prepared.workflow.queries
    if short(plan.queries.key) in results.done(stage):
        return
    rows = [
        make_row(stage, Unit(subject.key, subject.key), Answered(query), inputs_digest([]))
        for subject, query in zip(plan.queries.subjects, prepared.workflow.pool, strict=True)
    ]
    results.commit(stage, plan.queries.key, rows)
