"""`mien report`, `mien status`, `mien watch`: from the store alone."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.nearest import did_you_mean
from engine.store import names
from engine.store.backend import Backend
from engine.store.journal import JournalReader
from engine.store.names import is_run_name
from engine.store.plans import bound_run, known_names
from jobs.console import Console
from jobs.opened_run import OpenedRun, open_existing, open_run
from jobs.report_copy import copy_report, whereabouts
from jobs.reporting import make_report, page_uri
from jobs.run import COMPLETE, INCOMPLETE
from jobs.standing import Follower, Standing
from jobs.suggest import command

AWAIT_S = 120.0
"""How long `mien watch` waits for a run that has not begun."""


def report_command(name: str, *, store: str, out: Path | None, as_json: bool) -> int:
    """Rebuild the report of what is committed; with `out` also copy it there."""
    console, run = Console(as_json=as_json), open_run(store, name)
    typed = shlex.join(["mien", *sys.argv[1:]])
    with console.patience(f"reading {run.planned_results:,} results..."):
        progress = run.progress()
        journal = JournalReader(run.backend, run.plan.run)
        end = make_report(run.results, run.workflow, run.plan, progress, name=run.name, command=typed, journal=journal)
    have, planned = progress.results(run.workflow.stages, run.plan)
    copied = copy_report(run.backend, run.plan.run, out) if out else None
    for line in end.headline:
        console.say(line)
    for line in [f"Report: {copied}"] if copied else whereabouts(run.backend, run.plan.run, run.name, store):
        console.say(line)
    copy = {"copy": str(copied)} if copied else {}
    facts = {"failed": end.roots, "dependent": end.failed - end.roots, "report": page_uri(run.backend, run.plan.run), **copy}
    console.event("report", run=run.plan.run, complete=have == planned, **facts)
    return COMPLETE if have == planned else INCOMPLETE


def status_command(name: str, *, store: str, as_json: bool) -> int:
    """Say once how far a run is."""
    console, run = Console(as_json=as_json), open_run(store, name)
    with console.patience(f"looking for {run.planned_results:,} results..."):
        now = Follower(run).full()
    return _tell(console, run, store, now)


def watch_command(name: str, *, store: str, every: float, as_json: bool) -> int:
    """Say how far a run is until its driver ends, or nobody works on it."""
    console = Console(as_json=as_json)
    _await(console, store, name, every)
    run = open_run(store, name)
    return _tell(console, run, store, _follow(console, run, store, every))


def _await(console: Console, store: str, name: str, every: float) -> None:
    """Wait while a run has no driver yet: one reads all people before it writes a plan and binds the run's name."""
    backend, deadline, told = open_existing(store), time.monotonic() + AWAIT_S, False
    while is_run_name(name) and not _has_begun(backend, name) and time.monotonic() < deadline:
        if not told:
            known = known_names(backend)
            others = did_you_mean(name, known) if known and name not in known else ""
            console.say(f"Run '{name}' has not begun in {backend.uri}{others}; waiting up to {AWAIT_S:.0f} s for its driver.")
            console.event("waiting", run=name, seconds=AWAIT_S)
            told = True
        time.sleep(every)


def _has_begun(backend: Backend, name: str) -> bool:
    try:
        _, run = bound_run(backend, name)
    except UsageError:
        return False
    return bool(backend.list(names.run(run, "lease") + "/"))


def _follow(console: Console, run: OpenedRun, store: str, every: float) -> Standing:
    """Show a bar while a driver is at work; what is returned is what the store holds then."""
    follower = Follower(run)
    now = follower.full()
    if not now.at_work:
        return now
    _tell(console, run, store, now)
    with console.progress(f"run {run.name}", "people", estimate=False) as bar:
        while now.at_work:
            bar.set(now.people_done, now.people, now.tempo(run.name))
            time.sleep(every)
            now = follower.look()
    return follower.full()


def _tell(console: Console, run: OpenedRun, store: str, now: Standing) -> int:
    state = "finished" if now.finished else "unfinished"
    console.say(f"Run {run.name} ({run.plan.run}): {state}{', limited' if run.plan.partial else ''}")
    console.say(f"  results   {now.results} of {now.planned} files: {len(run.plan.shards)} shards x {len(run.workflow.stages)} stages")
    console.say(f"  people    {now.people_done} of {now.people}")
    end = now.end
    if end and end.roots:
        look = command("errors", run.name, store, "--group")
        console.say(f"  failed    {end.roots} by themselves, {end.failed - end.roots} depend on them: {look}")
    if now.at_work or not now.finished:
        console.say(f"  pace      {now.tempo(run.name)}")
    console.say(f"  drivers   {', '.join(_drivers(now))}")
    if now.begun_again:
        console.say(f"  shards    begun again after an interruption: {now.begun_again}")
    console.say(f"  last      {now.last()}")
    for line in whereabouts(run.backend, run.plan.run, run.name, store) if end else ():
        console.say(line)
    if now.finished and not now.at_work and end is None:
        console.say(f"No report of these results yet: run the same command again, or: {command('report', run.name, store)}")
    facts: dict[str, Any] = {"results": now.results, "planned": now.planned, "people": now.people, "people_done": now.people_done}
    drivers = {"sessions": len(now.sessions), "interrupted": now.interrupted, "retried_passes": now.retried_passes}
    failed = {"failed": end.roots, "dependent": end.failed - end.roots} if end else {}
    told = {**facts, **drivers, "begun_again": now.begun_again, **failed}
    console.event("status", run=run.plan.run, finished=now.finished, at_work=now.at_work, pace=round(now.pace, 3), **told)
    return COMPLETE if now.finished else INCOMPLETE


def _drivers(now: Standing) -> Iterator[str]:
    yield f"{len(now.sessions)} session{'' if len(now.sessions) == 1 else 's'}"
    if now.at_work:
        yield "one at work"
    if now.interrupted:
        yield f"{now.interrupted} cut short"
    if now.retried_passes:
        yield f"{now.retried_passes} retried pass{'' if now.retried_passes == 1 else 'es'}"
