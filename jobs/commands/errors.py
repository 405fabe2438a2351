"""`mien errors`, `mien retry`."""

from __future__ import annotations

import shlex
import sys

from engine.errors import UsageError
from engine.outcome import FailureKind
from jobs.console import Console
from jobs.failures import Failure, failures
from jobs.opened_run import OpenedRun, open_run
from jobs.people_source import BAD_PERSON
from jobs.run import Driver, Options
from jobs.shard_runner import UPSTREAM, Retry

SHOWN = 50


def errors_command(name: str, *, store: str, group: bool, as_json: bool) -> None:
    """List what failed by itself, with how much else it took along."""
    console, run = Console(as_json=as_json), open_run(store, name)
    found = list(failures(run.workflow, run.plan, run.results, run.progress()))
    roots = [failure for failure in found if failure.is_root]
    console.say(f"{len(roots)} rows failed by themselves, {len(found) - len(roots)} more depend on them")
    (_tell_groups if group else _tell_units)(console, run, found, roots)


def _tell_groups(console: Console, run: OpenedRun, found: list[Failure], roots: list[Failure]) -> None:
    for code in sorted({failure.outcome.code for failure in roots}):
        own = [failure for failure in roots if failure.outcome.code == code]
        taken = sum(failure.outcome.code == UPSTREAM + code for failure in found)
        facts = _facts(run, own[0])
        console.say(f"\n{code}: {len(own)} ({facts['kind']}), {taken} depend on them")
        console.say(f"  example  {facts['person']} in {facts['stage']}, unit {facts['unit'][:16]}")
        console.say(f"  reason   {facts['message']}")
        console.say(f"  fix      {facts['fix']}")
        console.event("group", count=len(own), dependent=taken, **facts)


def _tell_units(console: Console, run: OpenedRun, found: list[Failure], roots: list[Failure]) -> None:
    for number, failure in enumerate(roots):
        facts = _facts(run, failure)
        if number < SHOWN:
            console.say(f"  {facts['code']:<20} {facts['person']:<24} {facts['stage']:<28} {facts['message']}")
        console.event("failure", **facts)
    if len(roots) > SHOWN:
        console.say(f"  and {len(roots) - SHOWN} more: --group counts them, --json lists them all")


def _facts(run: OpenedRun, failure: Failure) -> dict[str, str]:
    """What is told of a failure, to people and to programs."""
    outcome = failure.outcome
    person = next(s.id for s in run.plan.shards[failure.shard].subjects if s.key == failure.subject)
    facts = {"code": outcome.code, "kind": outcome.kind.value, "person": person, "stage": failure.stage, "unit": failure.unit}
    return {**facts, "message": outcome.message, "fix": _fix(run, failure)}


def _fix(run: OpenedRun, failure: Failure) -> str:
    if failure.outcome.code == BAD_PERSON:
        return "mend that line of the people file, then run under a new --name; everyone else's results are taken over"
    if failure.outcome.kind is FailureKind.PERMANENT:
        return f"mend its cause, then: mien retry {run.name} --code {failure.outcome.code}"
    return f"mien retry {run.name} (may pass as it is)"


def retry_command(name: str, *, store: str, code: str, as_json: bool) -> int:
    """Try failed units again as the next overlay; returns the exit code."""
    run = open_run(store, name)
    _refuse_useless(run, code)
    command = shlex.join(["mien", *sys.argv[1:]])
    return Driver(run.prepared(), Options(store, run.name, command, Retry(code)), Console(as_json=as_json)).run()


def _refuse_useless(run: OpenedRun, code: str) -> None:
    """Say why a retry would do nothing, rather than doing it."""
    roots = [failure for failure in failures(run.workflow, run.plan, run.results, run.progress()) if failure.is_root]
    codes = sorted({failure.outcome.code for failure in roots})
    if code and code not in codes:
        known = f"Its codes are {', '.join(codes)}." if codes else "Nothing failed in it."
        raise UsageError(f"Nothing in run {run.name} failed with code '{code}'.", remedy=known)
    if code == BAD_PERSON:
        fix = next(_fix(run, failure) for failure in roots if failure.outcome.code == BAD_PERSON)
        raise UsageError("A person that could not be read stays so: the plan holds what the file said.", remedy=f"To do: {fix}.")
    if roots and not code and not any(Retry().wants(failure.outcome) for failure in roots):
        raise UsageError(
            f"All {len(roots)} failures of run {run.name} are permanent: the same input would fail again.",
            remedy=f"Once the cause is mended, name the code: mien retry {run.name} --code {codes[0]}.",
        )
