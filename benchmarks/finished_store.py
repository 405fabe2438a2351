"""A store that looks like a run of 6,000 people x 4 tasks, all methods and controls, nine tenths done: made in a minute, not computed.

One shard is computed for real, with the tiny encoder; every other one takes its values under its own units. So files have real sizes and
real contents, and only the people are made up. What is measured is how long it takes to know what remains.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from engine.config import Experiment
from engine.keys import content_key
from engine.outcome import Answered
from engine.profiles.grammar import build_profiles
from engine.profiles.validation import person_key
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.store.backend import Backend
from engine.store.plans import Plan, Shard, Subject, save_plan
from engine.store.results import Results
from jobs.calling import Caller
from jobs.loading import Loader
from jobs.people_source import PeopleRead
from jobs.planning import commit_queries, make_plan, prepare
from jobs.progress import progress_of
from jobs.remaining import remaining
from jobs.shard_runner import Retry, ShardRunner
from jobs.vptt import Vptt

PEOPLE, SHARD_SIZE, DONE = 6000, 8, 0.9


def build(backend: Backend) -> Plan:
    """Fill `backend`; returns the plan."""
    # Nobody is cross-fitted: the share of the people differs from shard to shard, and one shard is the template of all.
    choices = {"people": {"grammar": PEOPLE}, "shard_size": SHARD_SIZE, "encoder": "tiny-trigrams", "cross_fit": 0}
    prepared = prepare(Experiment.model_validate(choices))
    workflow, results = prepared.workflow, Results(backend)
    template = _computed(workflow, results)
    numbers = range(0, PEOPLE, SHARD_SIZE)
    shards = [
        Shard.of([Subject(content_key(["made up", start + n]), f"made-up-{start + n}", str(start + n)) for n in range(8)])
        for start in numbers
    ]
    plan = make_plan(prepared, PeopleRead(tuple((shard, b"") for shard in shards), False, PEOPLE))
    commit_queries(prepared, plan, results)
    save_plan(backend, plan)
    done = shards[: round(len(shards) * DONE)]
    with ThreadPoolExecutor(16) as writers:
        for _ in writers.map(lambda shard: _fill(workflow, results, template, shard, finished=True), done):
            pass
        for _ in writers.map(lambda shard: _fill(workflow, results, template, shard, finished=False), shards[len(done) :]):
            pass
    return plan


def seconds_to_know(backend: Backend, plan: Plan) -> float:
    """Seconds from a plan to the shards that need work, retryable failures included."""
    from jobs.vptt import from_plan

    started = time.perf_counter()
    results = Results(backend)
    workflow = from_plan(plan, results)
    progress = progress_of(workflow, results)
    found = [each for phase in workflow.phases for each in remaining(workflow, plan, results, progress, Retry(), phase=phase)]
    seconds = time.perf_counter() - started
    assert len(found) == round(len(plan.shards) * (1 - DONE))
    return seconds


def _computed(workflow: Vptt, results: Results) -> tuple[Shard, dict[str, list[Any]]]:
    """One real shard: its subjects, and each stage's values in the order of its units."""
    people = {person_key(person): person for person in build_profiles(SHARD_SIZE, 0)}
    shard = Shard.of([Subject(key, person.id, person.id) for key, person in people.items()])
    rows = [make_row(workflow.people, Unit(key, key), Answered(person), inputs_digest([])) for key, person in people.items()]
    results.commit(workflow.people, shard.key, rows)
    caller = Caller(Loader(workflow.actors({"encoder": "tiny-trigrams", "second": "wordllama-l2-256", "threads": 1})))
    ShardRunner(results, workflow.stages, caller, workflow.units).run(shard, {workflow.people.id: 0})
    values = {}
    for stage in (workflow.people, *workflow.stages):
        found = results.read(stage, shard.key, overlays=0)
        values[stage.id] = [found[unit.key].outcome for unit in workflow.units(shard, stage)]
    return shard, values


def _fill(workflow: Vptt, results: Results, template: tuple[Shard, dict[str, list[Any]]], shard: Shard, *, finished: bool) -> None:
    """Results of every stage on `shard` with the template's values; without scores and ceilings if it is not `finished`."""
    digests: dict[str, dict[str, str]] = {}
    stages: list[Stage[Any]] = [workflow.people, *workflow.stages]
    for stage in stages:
        if not finished and stage in workflow.finals:
            continue
        rows = []
        for unit, outcome in zip(workflow.units(shard, stage), template[1][stage.id], strict=True):
            read = [digests[each.stage.id][each.key] for each in stage.reads(unit)]
            rows.append(make_row(stage, unit, outcome, inputs_digest(read)))
        digests[stage.id] = {row.unit: row.sha256 for row in rows}
        results.commit(stage, shard.key, rows)
