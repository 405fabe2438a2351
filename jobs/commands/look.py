"""`mien report`, `mien status`, `mien watch`: from the store alone."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass
from typing import Any

from engine.store.lease import holder_is_gone
from jobs.console import Console
from jobs.history import sessions
from jobs.opened_run import OpenedRun, open_run
from jobs.reporting import current_end, make_report, page_uri
from jobs.run import COMPLETE, INCOMPLETE


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a run is: results from the store, pace from the journal's last session."""

    results: int
    planned: int
    people: int
    people_done: int
    pace: float
    """People per second; 0 if nobody is at work or it cannot be told yet."""
    at_work: bool
    sessions: int
    last: str

    @property
    def finished(self) -> bool:
        """Whether every result exists."""
        return self.results == self.planned

    def tempo(self, name: str) -> str:
        """What to expect, in words."""
        if not self.at_work:
            return f"no driver is at work; go on with the same mien run command (run {name})"
        return f"{self.pace:.1f} people/s, about {(self.people - self.people_done) / self.pace:.0f} s left" if self.pace else "starting"


def standing(run: OpenedRun) -> Standing:
    """Read the listing and the journal."""
    progress = run.progress()
    stages = run.workflow.stages
    have, planned = progress.results(stages, run.plan)
    people = sum(len(shard.subjects) for shard in run.plan.shards)
    done = sum(len(shard.subjects) for shard in run.plan.shards if progress.is_done(stages, shard))
    found = sessions(run.backend, run.plan.run)
    if not found:
        return Standing(have, planned, people, done, 0.0, False, 0, "no journal yet")
    current = found[-1]
    ago = max(0.0, time.time() - float(current.events[-1]["at"]))
    last = f"{current.events[-1]['event']}, {ago:.0f} s ago"
    at_work = not current.ended and not holder_is_gone(run.backend, run.plan.run)
    return Standing(have, planned, people, done, current.pace if at_work else 0.0, at_work, len(found), last)


def report_command(name: str, *, store: str, as_json: bool) -> int:
    """Rebuild the report of what is committed."""
    console, run = Console(as_json=as_json), open_run(store, name)
    progress = run.progress()
    command = shlex.join(["mien", *sys.argv[1:]])
    end = make_report(run.results, run.workflow, run.plan, progress, name=run.name, command=command)
    have, planned = progress.results(run.workflow.stages, run.plan)
    for line in end.headline:
        console.say(line)
    page = page_uri(run.backend, run.plan.run)
    console.say(f"Report: {page}")
    console.event("report", run=run.plan.run, complete=have == planned, failed=end.roots, dependent=end.failed - end.roots, report=page)
    return COMPLETE if have == planned else INCOMPLETE


def status_command(name: str, *, store: str, as_json: bool) -> int:
    """Say once how far a run is."""
    console, run = Console(as_json=as_json), open_run(store, name)
    return _tell(console, run, standing(run))


def watch_command(name: str, *, store: str, every: float, as_json: bool) -> int:
    """Say how far a run is until it is finished, or nobody works on it."""
    console, run = Console(as_json=as_json), open_run(store, name)
    now = standing(run)
    if not now.finished:
        _tell(console, run, now)
    with console.progress(f"run {name}", "people") as bar:
        while not now.finished and now.at_work:
            bar.set(now.people_done, now.people, now.tempo(name))
            time.sleep(every)
            now = standing(run)
    return _tell(console, run, now)


def _tell(console: Console, run: OpenedRun, now: Standing) -> int:
    end = current_end(run.backend, run.workflow, run.plan, run.progress())
    state = "finished" if now.finished else "unfinished"
    console.say(f"Run {run.name} ({run.plan.run}): {state}{', limited' if run.plan.partial else ''}")
    console.say(f"  results   {now.results} of {now.planned} files: {len(run.plan.shards)} shards x {len(run.workflow.stages)} stages")
    console.say(f"  people    {now.people_done} of {now.people}")
    if end and end.roots:
        console.say(f"  failed    {end.roots} by themselves, {end.failed - end.roots} depend on them: mien errors {run.name} --group")
    if not now.finished:
        console.say(f"  pace      {now.tempo(run.name)}")
    console.say(f"  last      {now.last}, driver session {now.sessions}")
    if end:
        console.say(f"Report: {page_uri(run.backend, run.plan.run)}")
    facts: dict[str, Any] = {"results": now.results, "planned": now.planned, "people": now.people, "people_done": now.people_done}
    failed = {"failed": end.roots, "dependent": end.failed - end.roots} if end else {}
    console.event("status", run=run.plan.run, finished=now.finished, at_work=now.at_work, pace=round(now.pace, 3), **facts, **failed)
    return COMPLETE if now.finished else INCOMPLETE
