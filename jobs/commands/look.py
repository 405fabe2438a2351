"""`mien report`, `mien status`, `mien watch`: from the store alone."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass
from typing import Any

from engine.store.journal import read_journal
from jobs.console import Console
from jobs.opened_run import OpenedRun, open_run
from jobs.reporting import current_end, make_report, page_uri
from jobs.run import COMPLETE, INCOMPLETE

RECENT_S = 120.0
"""Span of the journal over which a rate is taken."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a run is."""

    results: int
    planned: int
    people: int
    people_done: int
    rows: int
    failed: int
    rate: float
    """People per second over the last minutes of the journal; 0 if nothing moved."""
    last: str

    @property
    def finished(self) -> bool:
        """Whether every result exists."""
        return self.results == self.planned

    @property
    def left_s(self) -> float | None:
        """Seconds to go at the current rate; None if nothing moves."""
        return (self.people - self.people_done) / self.rate if self.rate else None


def standing(run: OpenedRun) -> Standing:
    """Read the listing and the journal."""
    progress = run.progress()
    stages = run.workflow.stages
    have, planned = progress.results(stages, run.plan)
    people = sum(len(shard.subjects) for shard in run.plan.shards)
    done = sum(len(shard.subjects) for shard in run.plan.shards if progress.is_done(stages, shard))
    events = list(read_journal(run.backend, run.plan.run))
    shards = [event for event in events if event["event"] == "shard"]
    rows = sum(stage[1] for event in shards for stage in event["stages"])
    failed = sum(stage[2] for event in shards for stage in event["stages"])
    return Standing(have, planned, people, done, rows, failed, _rate(shards), _last(events))


def report_command(name: str, *, store: str, as_json: bool) -> int:
    """Rebuild the report of what is committed."""
    console, run = Console(as_json=as_json), open_run(store, name)
    progress = run.progress()
    command = shlex.join(["mien", *sys.argv[1:]])
    end = make_report(run.backend, run.workflow, run.plan, progress, name=run.name, command=command)
    have, planned = progress.results(run.workflow.stages, run.plan)
    for line in end.headline:
        console.say(line)
    page = page_uri(run.backend, run.plan.run)
    console.say(f"Report: {page}")
    console.event("report", run=run.plan.run, complete=have == planned, failed=end.failed, report=page)
    return COMPLETE if have == planned else INCOMPLETE


def status_command(name: str, *, store: str, as_json: bool) -> int:
    """Say once how far a run is."""
    console, run = Console(as_json=as_json), open_run(store, name)
    return _tell(console, run, standing(run))


def watch_command(name: str, *, store: str, every: float, as_json: bool) -> int:
    """Say how far a run is until it is finished."""
    console, run = Console(as_json=as_json), open_run(store, name)
    with console.progress(f"run {name}", "people") as bar:
        while not (now := standing(run)).finished:
            bar.set(now.people_done, now.people, f"{now.rate:.1f} people/s, {now.failed} failed, {now.last}")
            time.sleep(every)
    return _tell(console, run, standing(run))


def _tell(console: Console, run: OpenedRun, now: Standing) -> int:
    end = current_end(run.backend, run.workflow, run.plan, run.progress())
    state = "finished" if now.finished else "unfinished"
    console.say(f"Run {run.name} ({run.plan.run}): {state}{', limited' if run.plan.partial else ''}")
    console.say(f"  results   {now.results} of {now.planned} files, {len(run.plan.shards)} shards x {len(run.workflow.stages)} stages")
    console.say(f"  people    {now.people_done} of {now.people}")
    console.say(f"  rows      {now.rows} written, {end.failed if end else now.failed} failed")
    if not now.finished:
        left = f"about {now.left_s:.0f} s left at {now.rate:.1f} people/s" if now.left_s else "nothing moved lately; `mien run` resumes it"
        console.say(f"  pace      {left}")
    console.say(f"  last      {now.last}")
    if end:
        console.say(f"Report: {page_uri(run.backend, run.plan.run)}")
    facts: dict[str, Any] = {"results": now.results, "planned": now.planned, "people": now.people, "people_done": now.people_done}
    console.event("status", run=run.plan.run, finished=now.finished, rows=now.rows, failed=now.failed, rate=round(now.rate, 3), **facts)
    return COMPLETE if now.finished else INCOMPLETE


def _rate(shards: list[dict[str, Any]]) -> float:
    recent = [event for event in shards if event["at"] >= time.time() - RECENT_S]
    if len(recent) < 2:
        return 0.0
    span = max(event["at"] for event in recent) - min(event["at"] for event in recent)
    # The first event only opens the span.
    return float(sum(event["people"] for event in recent[1:]) / span) if span else 0.0


def _last(events: list[dict[str, Any]]) -> str:
    if not events:
        return "no journal yet"
    ago = max(0.0, time.time() - float(events[-1]["at"]))
    return f"{events[-1]['event']}, {ago:.0f} s ago"
