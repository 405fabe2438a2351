"""Passes over a plan until nothing of it is open: what is missing, what is older than its inputs, what is to be tried again.

Any benchmark's: a workflow, its plan and a lease are all it needs. More than one pass only if a stored file turned out to be corrupt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engine.errors import CorruptObject, LeaseHeld, Missing, StoreError, StoreUnusable
from engine.execution_config import Execution
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.attempts import Attempts
from jobs.call_log import folder_of_calls
from jobs.checking import set_aside_untrusted
from jobs.console import Console
from jobs.driving import Hold
from jobs.failure_budget import FailureBudget
from jobs.interrupts import listen
from jobs.local_ray import RaySession
from jobs.operators import Operator
from jobs.pipeline import stream
from jobs.progress import Progress, progress_of
from jobs.references import ShardReference
from jobs.remaining import is_begun, remaining
from jobs.shard_runner import Retry
from jobs.suggest import command
from jobs.worker import WorkerSettings
from jobs.workflow import Workflow

OnShard: TypeAlias = Callable[[int, int, ShardReference], None]
"""Told (subjects done, subjects planned, the shard that just ended)."""

MAX_PASSES = 5

GIVE_UP_S = 600.0
"""Without a good beat: twice as long as the store itself is waited for."""


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
        self._tried_again: set[tuple[int, int]] = set()
        """(phase, shard) that came through a pass: what fails there now has been tried."""
        self._waiting = False
        self.progress: Progress | None = None
        """What is stored, as the latest look found it and nothing was done since."""
        self.phases: list[tuple[str, float]] = []
        """(name, wall seconds) of what was done."""

    def run(self, before_each: Callable[[], None] = lambda: None) -> None:
        """Work until nothing is open, or `MAX_PASSES` found files to set aside. `before_each` brings back what the driver stores.

        Raises LeaseHeld if another driver took over, BudgetReached, StoreError, ClusterError.
        """
        for number in range(1, MAX_PASSES + len(self._work.workflow.phases)):
            try:
                before_each()
                found = self._open()
                if found is None:
                    self._may_submit()  # a driver that was replaced leaves the report to the other one
                    return
                phase, open_ = found
                self._hold.journal.add("pass", number=number, shards=len(open_), retry=any(each.retry for each in open_))
                found_untrusted = self._pass(phase, open_)
            except (CorruptObject, Missing) as error:
                self._console.warn(str(error))
                found_untrusted = True
            if found_untrusted:
                self.set_aside_untrusted()

    def set_aside_untrusted(self) -> None:
        """One file of this run could not be trusted: look at all of them, so that the next pass computes everything that is needed."""
        started = time.monotonic()
        self.progress = None
        set_aside_untrusted(self._work.workflow, self._work.plan, self._work.results, self._console.warn)
        self.phases.append(("checking every result file", time.monotonic() - started))

    def _open(self) -> tuple[int, list[ShardReference]] | None:
        """The first phase with shards that need work, and these; None if there is none. Failures are tried again once a phase."""
        started = time.monotonic()
        work = self._work
        self.progress = progress = progress_of(work.workflow, work.results)
        begun = is_begun(work.workflow, work.plan, progress)
        for phase, stages in enumerate(work.workflow.phases):
            tried = {shard for of, shard in self._tried_again if of == phase}
            open_ = remaining(work.workflow, work.plan, work.results, progress, work.retry, phase=stages, not_again=tried)
            if open_:
                Attempts.forget(work.results.backend, work.plan.run, [work.plan.shards[each.shard].key for each in open_ if each.retry])
                break
        if begun:
            self.phases.append(("finding what remains", time.monotonic() - started))
        return (phase, open_) if open_ else None

    def _pass(self, phase: int, open_: list[ShardReference]) -> bool:
        """Whether a worker met a file that cannot be trusted."""
        work, plan = self._work, self._work.plan
        settings = WorkerSettings(
            work.results.backend.uri, plan.run, work.module, self._options(phase), work.execution.stuck_after_s, folder_of_calls()
        )
        self.progress = None
        of_phase = {stage.id for stage in work.workflow.phases[phase]}
        operators = [operator for operator in work.operators if all(stage.id in of_phase for stage in operator.stages)]
        waited = time.monotonic()
        ray = self._session.wait()
        self.phases.append(("waiting for Ray", time.monotonic() - waited))
        listen(working=True)
        started, first, troubled = time.monotonic(), True, False
        fresh = {each.shard for each in open_ if not (each.retry or each.inspect)}
        people = {index: len(shard.subjects) for index, shard in enumerate(plan.shards)}
        total = sum(people.values())
        done = total - sum(people[each.shard] for each in open_)
        with self._console.progress("evaluating", "people") as bar:
            bar.set(done, total)
            for shard in stream(ray, open_, operators, work.workflow, settings, work.execution, self._may_submit):
                if first:
                    self.phases.append(("starting workers and first shard", time.monotonic() - started))
                    started, first = time.monotonic(), False
                done += people[shard.shard]
                stages = self._note(shard, people[shard.shard])
                if shard.shard in fresh:  # rows that are tried again fail more often than rows do
                    self._budget.add(stages)
                if shard.trouble is None:
                    self._tried_again.add((phase, shard.shard))
                else:
                    troubled = True
                bar.set(done, total, self._budget.note)
                work.on_shard(done, total, shard)
        self.phases.append(("evaluating", time.monotonic() - started))
        return troubled

    def _options(self, phase: int) -> dict[str, object]:
        """For the phase's workers; what they share is built first."""
        work = self._work
        assert self.progress is not None
        started = time.monotonic()
        told = work.workflow.before(phase, work.plan, work.results, self.progress)
        if told:
            self.phases.append(("building what shards share", time.monotonic() - started))
        return {**work.options, **told}

    def _note(self, shard: ShardReference, people: int) -> list[list[Any]]:
        """Journal a shard; returns (stage name, rows, failed, seconds) of what was done to it."""
        names = [stage.name for stage in self._work.workflow.stages]
        stages = [[names[index], rows, failed, seconds] for visit in shard.visits for index, rows, failed, seconds in visit.tallies]
        again = shard.trouble.message if shard.trouble else ""
        attempt = max((visit.attempt for visit in shard.visits), default=1)
        if attempt > 1:
            self._console.warn(f"Shard {shard.shard} was begun again: an earlier task on it never returned. What was finished is kept.")
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
            spent=[list(bill) for visit in shard.visits for bill in visit.spent],
            attempt=attempt,
            again=again,
        )
        if again:
            self._console.warn(again)
        return stages

    def _may_submit(self) -> bool:
        """False while the lease could not be renewed lately; raises LeaseHeld once another driver has it."""
        lease = self._hold.lease
        if lease.was_taken_over:
            run = self._work.plan.run
            watch = command("watch", run, self._work.results.backend.uri)
            raise LeaseHeld(f"Another driver took over run {run}.", remedy=f"Leave it to that one; it shows in: {watch}")
        if lease.is_good():
            if self._waiting:
                self._waiting = False
                self._console.warn("The lease is renewed again; the run goes on.")
            return True
        passing = lease.trouble is None or (isinstance(lease.trouble, StoreError) and not isinstance(lease.trouble, StoreUnusable))
        if not passing or lease.silent_s > GIVE_UP_S:
            trouble = lease.trouble
            said, remedy = str(trouble or f"no beat for {lease.silent_s:.0f} s."), "Check the store, then run the same command again."
            if isinstance(trouble, StoreError):
                said, remedy = trouble.message, trouble.remedy
            raise StoreError(f"The lease of run {self._work.plan.run} cannot be renewed: {said}", remedy=remedy)
        if not self._waiting:
            self._waiting = True
            self._console.warn(
                "The lease could not be renewed in time, so nothing new is submitted until the store answers again "
                f"(given up after {GIVE_UP_S:.0f} s)."
            )
        return False
