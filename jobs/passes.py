"""Passes over a plan until nothing of it is open: what is missing, what is older than its inputs, what is to be tried again.

Any benchmark's: a workflow, its plan and a lease are all it needs. More than one pass only if a stored file turned out to be corrupt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.config import Execution
from engine.errors import CorruptObject, LeaseHeld, Missing
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.attempts import Attempts
from jobs.call_log import folder_of_calls
from jobs.console import Console
from jobs.driving import Hold
from jobs.failure_budget import FailureBudget
from jobs.interrupts import listen
from jobs.local_ray import RaySession
from jobs.operators import Operator
from jobs.pipeline import stream
from jobs.references import ShardReference
from jobs.remaining import remaining
from jobs.shard_runner import Retry
from jobs.worker import WorkerSettings
from jobs.workflow import Workflow

OnShard: TypeAlias = Callable[[int, int, ShardReference], None]
"""Told (subjects done, subjects planned, the shard that just ended)."""

MAX_PASSES = 5


@dataclass(frozen=True)
class Work:
    """What is to be done and with what."""

    plan: Plan
    workflow: Workflow
    operators: Sequence[Operator]
    results: Results
    execution: Execution
    module: str
    """The workflow's module."""
    options: dict[str, object]
    """For the workflow's actors."""
    retry: Retry = field(default_factory=Retry)
    on_shard: OnShard = lambda done, total, shard: None


class Passes:
    """One driver's passes under its lease."""

    def __init__(self, work: Work, hold: Hold, session: RaySession, console: Console) -> None:
        self._work, self._hold, self._session, self._console = work, hold, session, console
        self._budget = FailureBudget(work.execution.stop_after_failed)
        self.phases: list[tuple[str, float]] = []
        """(name, wall seconds) of what was done."""

    def run(self, before_each: Callable[[], None] = lambda: None) -> None:
        """Work until nothing is open, or `MAX_PASSES` found files to set aside. `before_each` brings back what the driver stores.

        Raises LeaseHeld if another driver took over, BudgetReached, StoreError, ClusterError.
        """
        for number in range(1, MAX_PASSES + 1):
            try:
                before_each()
                open_ = self._open(first=number == 1)
                if not open_:
                    self._may_submit()  # a driver that was replaced leaves the report to the other one
                    return
                self._hold.journal.add("pass", number=number, shards=len(open_), retry=any(each.retry for each in open_))
                self._pass(open_)
            except (CorruptObject, Missing) as error:  # set aside now, so the next pass computes it again
                self._console.warn(str(error))

    def _open(self, *, first: bool) -> list[ShardReference]:
        started = time.monotonic()
        work = self._work
        found = remaining(work.workflow, work.plan, work.results, work.retry if first else None)
        if found.begun:
            self.phases.append(("finding what remains", time.monotonic() - started))
        retried = [work.plan.shards[each.shard].key for each in found.references if each.retry]
        Attempts.forget(work.results.backend, work.plan.run, retried)
        return found.references

    def _pass(self, open_: list[ShardReference]) -> None:
        work, plan = self._work, self._work.plan
        settings = WorkerSettings(
            work.results.backend.uri, plan.run, work.module, work.options, work.execution.stuck_after_s, folder_of_calls()
        )
        waited = time.monotonic()
        ray = self._session.wait()
        self.phases.append(("waiting for Ray", time.monotonic() - waited))
        listen()
        started, first = time.monotonic(), True
        people = {index: len(shard.subjects) for index, shard in enumerate(plan.shards)}
        total = sum(people.values())
        done = total - sum(people[each.shard] for each in open_)
        with self._console.progress("evaluating", "people") as bar:
            bar.set(done, total)
            for shard in stream(ray, open_, work.operators, work.workflow, settings, work.execution, self._may_submit):
                if first:
                    self.phases.append(("starting workers and first shard", time.monotonic() - started))
                    started, first = time.monotonic(), False
                done += people[shard.shard]
                self._note(shard, people[shard.shard])
                bar.set(done, total, self._budget.note)
                work.on_shard(done, total, shard)
        self.phases.append(("evaluating", time.monotonic() - started))

    def _note(self, shard: ShardReference, people: int) -> None:
        """Journal a shard, and count its failures against the budget."""
        names = [stage.name for stage in self._work.workflow.stages]
        stages = [[names[index], rows, failed, seconds] for visit in shard.visits for index, rows, failed, seconds in visit.tallies]
        again = shard.trouble.message if shard.trouble else ""
        attempt = max((visit.attempt for visit in shard.visits), default=1)
        if attempt > 1:
            self._console.warn(
                f"Shard {shard.shard} was begun again: the worker that was at it is gone. Nothing that was finished is lost."
            )
        self._hold.journal.add(
            "shard",
            shard=shard.shard,
            people=people,
            stages=stages,
            started=min((visit.started for visit in shard.visits), default=0.0),
            ended=max((visit.ended for visit in shard.visits), default=0.0),
            node=shard.visits[-1].node if shard.visits else "",
            pid=shard.visits[-1].pid if shard.visits else 0,
            requests=sum(visit.requests for visit in shard.visits),
            attempt=attempt,
            again=again,
        )
        if again:
            self._console.warn(again)
        self._budget.add(stages)

    def _may_submit(self) -> bool:
        """False while the lease could not be renewed lately; raises LeaseHeld once another driver has it."""
        if self._hold.lease.was_taken_over:
            raise LeaseHeld(f"Another driver took over run {self._work.plan.run}.", remedy="Leave it to that one; `mien watch` shows it.")
        return self._hold.lease.is_good()
