"""Driving a made-up workflow as a driver does: lease, journal, Ray, passes; without a report. For tests and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.execution_config import Execution, Pool
from engine.rows import Row
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.console import Console
from jobs.driving import driving
from jobs.local_ray import RaySession
from jobs.operators import operators
from jobs.passes import Passes, Work
from jobs.shard_runner import Retry
from tests.workflows import texts
from tests.workflows.chain import Chain


def drive(
    results: Results,
    plan: Plan,
    workflow: Chain,
    *,
    execution: Execution | None = None,
    pools: dict[str, Pool] | None = None,
    options: dict[str, Any] | None = None,
    retry: Retry | None = None,
) -> Passes:
    """Bring `plan` to its end, on the Ray of RAY_ADDRESS or one of its own. `pools` by actor; without them one pool holds all."""
    pools = pools or {"all": Pool(max=2)}
    plan_operators = operators(workflow.stages, lambda actor: actor if actor in pools else next(iter(pools)), pools)
    module = type(workflow).__module__
    work = Work(plan, workflow, plan_operators, results, execution or Execution(), module, options or {}, retry or Retry())
    session = RaySession("").start()
    try:
        with driving(results.backend, plan.run, command="made up") as hold:
            passes = Passes(work, hold, session, Console())
            passes.run()
            return passes
    finally:
        session.stop()


def rows_of(results: Results, plan: Plan, stage: texts.Text) -> dict[str, Row[str]]:
    """Subject id -> row, over all shards."""
    ids = {subject.key: subject.id for shard in plan.shards for subject in shard.subjects}
    found: dict[str, Row[str]] = {}
    done = results.done(stage)
    for shard in plan.shards:
        for row in results.read(stage, shard.key, overlays=done[shard.key[:16]]).values():
            found[ids[row.subject]] = row
    return found


def texts_numbered(n: int, special: dict[int, str]) -> Sequence[str]:
    """`n` texts; `special` ones by index."""
    return [special.get(index, f"text {index}") for index in range(n)]
