"""From an experiment to a plan: what will be run, under which id, and what of it is done already. Writes nothing until `commit_plan`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from engine.config import Experiment
from engine.keys import file_sha256
from engine.outcome import Answered
from engine.queries import builtin_queries, read_queries
from engine.records import Query
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.stages.queries import query_key
from engine.store.names import shard_set_aside, short
from engine.store.plans import Plan, Shard, Subject, run_id
from engine.store.results import Results
from jobs.actor_factory import model_ids
from jobs.people_source import PeopleRead, count_people, source_id
from jobs.vptt import Vptt, vptt
from jobs.worker import ABSENT, ShardReference


@dataclass(frozen=True)
class Prepared:
    """An experiment resolved against its inputs and models; its run id is known before any person is read."""

    experiment: Experiment
    workflow: Vptt
    models: dict[str, str]
    identity: dict[str, Any]

    @property
    def run(self) -> str:
        """The run id."""
        return run_id(self.identity)


def prepare(experiment: Experiment) -> Prepared:
    """Resolve inputs and models. Raises InputError, ConfigError or ModelError before anything is written."""
    people = source_id(experiment.people)
    total = count_people(experiment.people)
    limit = experiment.people_limit(total)
    # A share of the people, or more than there are, is the same plan as the number it comes to.
    experiment = experiment.model_copy(update={"limit": str(limit) if limit < total else ""})
    pool = pool_of(experiment)
    queries = f"sha256:{file_sha256(experiment.queries.file)}" if experiment.queries.file else "built-in"
    models = model_ids(experiment.encoder, experiment.writers)
    workflow = vptt(experiment, models, pool)
    identity = {
        "experiment": experiment.pinned(people, queries),
        "people": people,
        "models": models,
        "stages": workflow.fingerprints(),
    }
    return Prepared(experiment, workflow, models, identity)


def pool_of(experiment: Experiment) -> tuple[Query, ...]:
    """The queries of an experiment: a file's, or the built-in ones."""
    return read_queries(experiment.queries.file) if experiment.queries.file else builtin_queries()


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


@dataclass(frozen=True, slots=True)
class Progress:
    """What of a plan has a result: stage id -> short shard -> highest overlay."""

    done: dict[str, dict[str, int]]
    set_aside: frozenset[str]
    """Short names of shards with a file in quarantine."""

    def overlays(self, stage: Stage[Any], shard: Shard) -> int:
        """The highest overlay of a stage's result on a shard; ABSENT if there is none."""
        return self.done[stage.id].get(short(shard.key), ABSENT)

    def is_touched(self, shard: Shard) -> bool:
        """Whether anything of a shard was ever done again: only then can a row be older than what it was computed from."""
        name = short(shard.key)
        return name in self.set_aside or any(found.get(name, 0) > 0 for found in self.done.values())

    def is_done(self, stages: Sequence[Stage[Any]], shard: Shard) -> bool:
        """Whether a shard has every result."""
        return all(self.overlays(stage, shard) != ABSENT for stage in stages)

    def results(self, stages: Sequence[Stage[Any]], plan: Plan) -> tuple[int, int]:
        """(results that exist, results planned)."""
        have = sum(self.overlays(stage, shard) != ABSENT for stage in stages for shard in plan.shards)
        return have, len(stages) * len(plan.shards)


def progress_of(workflow: Vptt, results: Results) -> Progress:
    """List what exists: one listing a stage."""
    done = {stage.id: results.done(stage) for stage in (workflow.people, *workflow.stages)}
    return Progress(done, frozenset(filter(None, map(shard_set_aside, results.backend.list("quarantine/")))))


def references(
    workflow: Vptt,
    plan: Plan,
    progress: Progress,
    *,
    stale: Collection[int] = (),
    retry: Collection[int] = (),
    code: str = "",
) -> list[ShardReference]:
    """The shards that need work: what is missing, what is stale, what is to be tried again."""
    stages = workflow.stages
    return [
        ShardReference(
            shard=index,
            done=tuple(progress.overlays(stage, shard) for stage in stages),
            inspect=progress.is_touched(shard),
            retry=index in retry,
            retry_code=code,
        )
        for index, shard in enumerate(plan.shards)
        if index in retry or index in stale or not progress.is_done(stages, shard)
    ]
