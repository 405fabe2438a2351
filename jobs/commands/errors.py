"""`mien errors`, `mien retry`."""

from __future__ import annotations

import shlex
import sys

from engine.errors import UsageError
from engine.outcome import FailureKind
from engine.prompting.given import CODES
from jobs.console import Console
from jobs.failures import Failure, failures
from jobs.opened_run import OpenedRun, open_run
from jobs.people_source import BAD_PERSON
from jobs.run import Driver, Options
from jobs.shard_runner import UPSTREAM, Retry
from jobs.suggest import command

SHOWN = 50
MEND_THE_ROW = "mend that line of the people file, then run under a new --name; everyone else's results are taken over"
MEND_THE_PROMPT = "mend the file of prompts, then run again (`mien run` under a new --name); the other methods' results are taken over"
OF_A_FILE = {BAD_PERSON: MEND_THE_ROW, "no-ceiling": MEND_THE_ROW, **dict.fromkeys(CODES, MEND_THE_PROMPT)}
"""Codes of what a file lacks: the plan holds what the file said, so the same run cannot mend it."""


def errors_command(name: str, *, store: str, group: bool, as_json: bool) -> None:
    """List what failed by itself, with how much else it took along."""
    console, run = Console(as_json=as_json), open_run(store, name)
    with console.patience(f"looking through {run.planned_results:,} results..."):
        found = list(failures(run.workflow, run.plan, run.results, run.progress()))
    roots = [failure for failure in found if failure.is_root]
    console.say(f"{len(roots)} rows failed by themselves, {len(found) - len(roots)} more depend on them")
    (_tell_groups if group else _tell_units)(console, run, store, found)


def _tell_groups(console: Console, run: OpenedRun, store: str, found: list[Failure]) -> None:
    roots = [failure for failure in found if failure.is_root]
    for code in sorted({failure.outcome.code for failure in roots}):
        own = [failure for failure in roots if failure.outcome.code == code]
        taken = sum(failure.outcome.code == UPSTREAM + code for failure in found)
        facts = _facts(run, store, own[0])
        console.say(f"\n{code}: {len(own)} ({facts['kind']}), {taken} depend on them")
        console.say(f"  example  {facts['person']} in {facts['stage']}, unit {facts['unit'][:16]}")
        console.say(f"  reason   {facts['message']}")
        console.say(f"  fix      {facts['fix']}")
        console.event("group", count=len(own), dependent=taken, **facts)


def _tell_units(console: Console, run: OpenedRun, store: str, found: list[Failure]) -> None:
    roots = [failure for failure in found if failure.is_root]
    for number, failure in enumerate(roots):
        facts = _facts(run, store, failure)
        if number < SHOWN:
            console.say(f"  {facts['code']:<20} {facts['person']:<24} {facts['stage']:<28} {facts['message']}")
        console.event("failure", **facts)
    if len(roots) > SHOWN:
        console.say(f"  and {len(roots) - SHOWN} more: --group counts them, --json lists them all")


def _facts(run: OpenedRun, store: str, failure: Failure) -> dict[str, str]:
    """What is told of a failure, to people and to programs."""
    outcome = failure.outcome
    person = next(s.id for s in run.plan.shards[failure.shard].subjects if s.key == failure.subject)
    facts = {"code": outcome.code, "kind": outcome.kind.value, "person": person, "stage": failure.stage, "unit": failure.unit}
    return {**facts, "message": outcome.message, "fix": _fix(run, store, failure)}


def _fix(run: OpenedRun, store: str, failure: Failure) -> str:
    if failure.outcome.code in OF_A_FILE:
        return OF_A_FILE[failure.outcome.code]
    if failure.outcome.kind is FailureKind.PERMANENT:
        return f"mend its cause, then: {command('retry', run.name, store, '--code', failure.outcome.code)}"
    return f"{command('retry', run.name, store)} (may pass as it is)"


def retry_command(name: str, *, store: str, code: str, as_json: bool) -> int:
    """Try failed units again as the next overlay; returns the exit code."""
    run = open_run(store, name)
    console = Console(as_json=as_json)
    with console.patience(f"looking through {run.planned_results:,} results..."):
        _refuse_useless(run, store, code)
    typed = shlex.join(["mien", *sys.argv[1:]])
    return Driver(run.prepared(), Options(store, run.name, typed, Retry(code)), console).run()


def _refuse_useless(run: OpenedRun, store: str, code: str) -> None:
    """Say why a retry would do nothing, rather than doing it."""
    roots = [failure for failure in failures(run.workflow, run.plan, run.results, run.progress()) if failure.is_root]
    codes = sorted({failure.outcome.code for failure in roots})
    if code and code not in codes:
        known = f"Its codes are {', '.join(codes)}." if codes else "Nothing failed in it."
        raise UsageError(f"Nothing in run {run.name} failed with code '{code}'.", remedy=known)
    if code in OF_A_FILE:
        raise UsageError("What a file lacks stays so: the plan holds what the file said.", remedy=f"To do: {OF_A_FILE[code]}.")
    if roots and not code and not any(Retry().wants(failure.outcome) for failure in roots):
        mendable = [each for each in codes if each not in OF_A_FILE]
        named = f"Once the cause is mended, name the code: {command('retry', run.name, store, '--code', *mendable[:1])}"
        raise UsageError(
            f"All {len(roots)} failures of run {run.name} are permanent: the same input would fail again.",
            remedy=named if mendable else f"To do: {OF_A_FILE[codes[0]]}.",
        )
