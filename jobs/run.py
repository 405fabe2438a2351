"""Driving a run: plan, lease, passes over what is missing, report. The same command again resumes; a finished run is a no-op."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from engine.errors import BudgetReached, CorruptObject, Missing, PlanMismatch
from engine.store import names
from engine.store.backend import Backend
from engine.store.journal import Journal, JournalReader
from engine.store.opening import open_backend, probe
from engine.store.plans import Plan, bind_name, check_name, load_plan, save_plan
from engine.store.results import Results
from jobs.actor_factory import actor_options
from jobs.console import Console
from jobs.driving import Hold, driving
from jobs.given_prompts import check_given, commit_given
from jobs.history import stage_seconds
from jobs.local_ray import RaySession
from jobs.opened_run import save_settings
from jobs.passes import MAX_PASSES, OnShard, Passes, Work
from jobs.people_source import PeopleRead, commit_people, read_shards
from jobs.planning import Prepared, commit_queries, make_plan
from jobs.progress import progress_of, references
from jobs.report_copy import whereabouts
from jobs.reporting import End, current_end, make_report, page_uri
from jobs.shard_runner import Retry
from jobs.suggest import command
from jobs.vptt import Vptt
from jobs.vptt_pools import operators_of

COMPLETE, TOO_MANY_FAILED, INCOMPLETE = 0, 3, 6


@dataclass(frozen=True, slots=True)
class Options:
    """What a command adds to an experiment; none of it changes a result."""

    store: str
    name: str
    command: str
    retry: Retry
    on_shard: OnShard = lambda done, total, shard: None
    """Told of each finished shard: for a demo that kills, for tests."""


class Driver:
    """One command's work on one run."""

    def __init__(self, prepared: Prepared, options: Options, console: Console) -> None:
        self._prepared, self._options, self._console = prepared, options, console
        self._workflow = prepared.workflow
        self._backend: Backend = open_backend(options.store)
        self._results = Results(self._backend, repair=True)
        self._phases: list[tuple[str, float]] = []
        self._started = time.monotonic()
        self._journal: JournalReader | None = None

    def run(self) -> int:
        """Bring the run to its end, or find it there; returns the exit code."""
        run = self._prepared.run
        check_name(self._backend, self._options.name, run, self._prepared.identity)
        plan = load_plan(self._backend, run)
        self._console.event("launch", run=run, name=self._options.name, store=self._backend.uri, resumed=plan is not None)
        if plan is not None and (end := self._finished(plan)) is not None:
            bind_name(self._backend, self._options.name, run, self._prepared.identity)
            self._console.say(f"Run {self._options.name} ({run}) is finished; nothing to do.")
            return self._tell(plan, end, complete=True)
        session = RaySession(self._prepared.experiment.execution.ray_address).start()  # while people are read
        try:
            plan = plan or self._planned()
            bind_name(self._backend, self._options.name, run, self._prepared.identity)
            with driving(self._backend, run, command=self._options.command, notice=self._console.warn) as hold:
                save_settings(self._backend, run, self._prepared.experiment)
                return self._work(plan, hold, session)
        finally:
            session.stop()

    def _finished(self, plan: Plan) -> End | None:
        """The stored end of a run that has nothing left to do."""
        progress = progress_of(self._workflow, self._results)
        if references(self._workflow, plan, progress):
            return None
        end = current_end(self._backend, self._workflow, plan, progress)
        again = end is not None and (end.stale or end.retryable or (self._options.retry.code and end.roots))
        return None if again else end

    def _planned(self) -> Plan:
        """A new plan, with people and queries in the store; bad input is found before anything is written."""
        people = self._read_people()
        plan = make_plan(self._prepared, people)
        for told in check_given(self._workflow, plan, self._prepared.own):
            self._console.warn(told)
        probe(self._backend)
        with self._phase("storing people"):
            commit_people(people, self._results, self._workflow.people)
            commit_queries(self._prepared, plan, self._results)
            commit_given(self._workflow, plan, self._results, self._prepared.own)
            save_plan(self._backend, plan)
        return plan

    def _read_people(self) -> PeopleRead:
        with self._phase("reading people"), self._console.progress("reading people", "people") as bar:
            return read_shards(self._prepared.experiment, self._workflow.people, bar.set, self._prepared.own.assignment)

    def _ensure_inputs(self, plan: Plan) -> None:
        """Bring back what is missing of people, queries and own prompts, or cannot be trusted, from where it first came from."""
        stored = self._results.done(self._workflow.people)
        if any(names.short(shard.key) not in stored for shard in plan.shards):
            people = self._read_people()
            if [shard for shard, _ in people.shards] != list(plan.shards):
                raise PlanMismatch(f"The people of run {plan.run} are no longer to be had.", remedy="Give this run a new --name.")
            commit_people(people, self._results, self._workflow.people)
        with suppress(CorruptObject, Missing):
            self._results.read(self._workflow.queries, plan.queries.key, overlays=0)
        commit_queries(self._prepared, plan, self._results)
        commit_given(self._workflow, plan, self._results, self._prepared.own)

    def _work(self, plan: Plan, hold: Hold, session: RaySession) -> int:
        experiment = self._prepared.experiment
        work = Work(
            plan,
            self._workflow,
            operators_of(self._workflow, experiment.execution, experiment.language_models(), experiment.judges()),
            self._results,
            experiment.execution,
            Vptt.__module__,
            actor_options(experiment, self._backend.uri),
            self._options.retry,
            self._options.on_shard,
        )
        passes = Passes(work, hold, session, self._console)
        try:
            for _ in range(MAX_PASSES):
                passes.run(lambda: self._ensure_inputs(plan))
                try:
                    return self._finish(plan, hold.journal, passes)
                except (CorruptObject, Missing) as error:  # found while reading for the report: all the others are looked at, too
                    self._console.warn(str(error))
                passes.set_aside_untrusted()
        except BudgetReached as error:
            with suppress(CorruptObject, Missing):  # the next command finds them again; why this one stopped is to be told
                self._finish(plan, hold.journal, passes)  # partial results are always reportable
            raise BudgetReached(
                error.message,
                remedy="What is finished is kept. Mend the cause, then run the same command again: it goes on, and counts failures anew.",
            ) from None
        return self._finish(plan, hold.journal, passes)

    def _finish(self, plan: Plan, journal: Journal, passes: Passes) -> int:
        self._phases += passes.phases
        passes.phases.clear()
        progress = passes.progress or progress_of(self._workflow, self._results)
        with self._phase("report"):
            end = make_report(
                self._results,
                self._workflow,
                plan,
                progress,
                name=self._options.name,
                command=self._options.command,
                journal=self._told_so_far(plan),
                when_read=lambda: self._note_end(journal),
            )
        return self._tell(plan, end, complete=not references(self._workflow, plan, progress) and not end.stale)

    def _told_so_far(self, plan: Plan) -> JournalReader:
        """The run's journal: each chunk is read once, whoever asks."""
        if self._journal is None:
            self._journal = JournalReader(self._backend, plan.run)
        return self._journal

    def _note_end(self, journal: Journal) -> None:
        for name, seconds in self._phases:
            journal.add("phase", name=name, seconds=round(seconds, 3))
        requests = sum(self._backend.requests.values())
        journal.add("end", seconds=round(time.monotonic() - self._started, 3), requests=requests)
        journal.flush()

    def _tell(self, plan: Plan, end: End, *, complete: bool) -> int:
        allowed = self._prepared.experiment.max_failed
        code = INCOMPLETE if not complete else TOO_MANY_FAILED if end.roots > allowed else COMPLETE
        self._tell_time(plan)
        for line in end.headline:
            self._console.say(line)
        if end.roots:
            also = f", {end.failed - end.roots} more depend on them" if end.failed > end.roots else ""
            see = command("errors", self._options.name, self._options.store, "--group")
            allows = f"; --max-failed allows {allowed}" if code == TOO_MANY_FAILED else ""
            self._console.warn(f"{end.roots} rows failed by themselves{also}{allows}. See: {see}")
        if code == INCOMPLETE:
            self._console.warn("The run is incomplete; run the same command again to go on.")
        for line in whereabouts(self._backend, plan.run, self._options.name, self._options.store):
            self._console.say(line)
        page = page_uri(self._backend, plan.run)
        failed = {"failed": end.roots, "dependent": end.failed - end.roots}
        self._console.event("done", run=plan.run, complete=complete, **failed, headline=end.headline, report=page, exit_code=code)
        return code

    def _tell_time(self, plan: Plan) -> None:
        """Where the time went: this command's wall seconds, and the workers' process seconds over all of the run's commands."""
        say = self._console.say
        for name, seconds in self._phases:
            say(f"  {name:<34}{seconds:7.1f} s")
        if self._phases:
            spent = stage_seconds(self._told_so_far(plan).events())
            say("  of the workers' process seconds    " + ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in spent.items()))

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self._note_phase(name, time.monotonic() - started)

    def _note_phase(self, name: str, seconds: float) -> None:
        self._phases.append((name, seconds))
