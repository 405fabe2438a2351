"""`mien errors`, `mien retry`."""

from __future__ import annotations

import shlex
import sys

from jobs.console import Console
from jobs.failures import Failure, failures
from jobs.opened_run import OpenedRun, open_run
from jobs.run import Driver, Options
from jobs.shard_runner import UPSTREAM, Retry

SHOWN = 50


def errors_command(name: str, *, store: str, group: bool, as_json: bool) -> None:
    """List what failed by itself, with how much else it took along."""
    console, run = Console(as_json=as_json), open_run(store, name)
    found = list(failures(run.workflow, run.plan, run.results, run.progress()))
    roots = [failure for failure in found if failure.is_root]
    console.say(f"{len(roots)} failed, {len(found) - len(roots)} more units depend on them")
    (_tell_groups if group else _tell_units)(console, run, found, roots)


def _tell_groups(console: Console, run: OpenedRun, found: list[Failure], roots: list[Failure]) -> None:
    people = _people(run)
    for code in sorted({failure.outcome.code for failure in roots}):
        own = [failure for failure in roots if failure.outcome.code == code]
        taken = sum(failure.outcome.code == UPSTREAM + code for failure in found)
        example = own[0]
        console.say(f"\n{code}: {len(own)} ({example.outcome.kind.value}), {taken} depend on them")
        console.say(f"  example  {people[example.subject]} in {example.stage}, unit {example.unit[:16]}")
        console.say(f"  reason   {example.outcome.message}")
        console.say(f"  again    mien retry {run.name} --code {code}")
        console.event("group", code=code, count=len(own), dependent=taken, example=example.unit, message=example.outcome.message)


def _tell_units(console: Console, run: OpenedRun, found: list[Failure], roots: list[Failure]) -> None:
    people = _people(run)
    for number, failure in enumerate(roots):
        outcome = failure.outcome
        if number < SHOWN:
            console.say(f"  {outcome.code:<20} {people[failure.subject]:<24} {failure.stage:<28} {outcome.message}")
        console.event(
            "failure", code=outcome.code, stage=failure.stage, unit=failure.unit, subject=failure.subject, message=outcome.message
        )
    if len(roots) > SHOWN:
        console.say(f"  and {len(roots) - SHOWN} more: --group counts them, --json lists them all")


def _people(run: OpenedRun) -> dict[str, str]:
    return {subject.key: subject.id for shard in run.plan.shards for subject in shard.subjects}


def retry_command(name: str, *, store: str, code: str, as_json: bool) -> int:
    """Try failed units again as the next overlay; returns the exit code."""
    run = open_run(store, name)
    command = shlex.join(["mien", *sys.argv[1:]])
    return Driver(run.prepared(), Options(store, run.name, command, Retry(code)), Console(as_json=as_json)).run()
