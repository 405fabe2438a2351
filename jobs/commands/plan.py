"""`mien plan`: what a run would do. Starts nothing, writes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config_loading import load
from engine.errors import CorruptObject
from engine.stage import Stage
from engine.store.backend import Backend
from engine.store.journal import read_journal
from engine.store.opening import open_backend
from engine.store.plans import Plan, bound_run, check_name, known_names, load_plan
from engine.store.results import Results
from jobs.console import Console
from jobs.given_prompts import check_given
from jobs.people_source import read_shards
from jobs.planning import Prepared, make_plan, prepare
from jobs.progress import Progress, progress_of


@dataclass(frozen=True, slots=True)
class Line:
    """One stage of a plan; seconds are process seconds of this store's earlier runs, None if there were none."""

    stage: str
    units: int
    done: int
    seconds: float | None


def plan_command(file: Path, *, store: str, name: str, options: Mapping[str, Any], as_json: bool) -> None:
    """Print what a run would do."""
    console = Console(as_json=as_json)
    prepared = prepare(load(file, os.environ, options).experiment)
    backend = open_backend(store)
    name = name or prepared.experiment.run_name()
    check_name(backend, name, prepared.run, prepared.identity)
    plan = load_plan(backend, prepared.run) or _read(prepared, console)
    progress = progress_of(prepared.workflow, Results(backend))
    pace = seconds_per_row(backend)
    lines = [_line(prepared, plan, progress, stage, pace) for stage in prepared.workflow.stages]
    _tell(console, prepared, plan, progress, lines, name)


def seconds_per_row(backend: Backend) -> dict[str, float]:
    """Process seconds a row by stage name, measured over every run of a store that has a name."""
    rows: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for run in sorted(_named_runs(backend)):
        for event in read_journal(backend, run):
            for stage, count, _, spent in event["stages"] if event["event"] == "shard" else []:
                rows[stage] = rows.get(stage, 0) + count
                seconds[stage] = seconds.get(stage, 0.0) + spent
    return {stage: seconds[stage] / count for stage, count in rows.items() if count}


def _named_runs(backend: Backend) -> set[str]:
    """Ids of the runs that have a name: a listing of all files of all runs would be far longer."""
    found: set[str] = set()
    for name in known_names(backend):
        with suppress(CorruptObject):  # another run's, and no matter of this one
            found.add(bound_run(backend, name)[1])
    return found


def _read(prepared: Prepared, console: Console) -> Plan:
    with console.progress("reading people", "people") as bar:
        plan = make_plan(prepared, read_shards(prepared.experiment, prepared.workflow.people, bar.set, prepared.own.assignment))
    for told in check_given(prepared.workflow, plan, prepared.own):
        console.warn(told)
    return plan


def _line(prepared: Prepared, plan: Plan, progress: Progress, stage: Stage[Any], pace: Mapping[str, float]) -> Line:
    draw = prepared.workflow.draw
    sizes = [(shard, len(shard.subjects) if stage.per == "person" else draw.cases(shard.subjects)) for shard in plan.shards]
    units = sum(size for _, size in sizes)
    done = sum(size for shard, size in sizes if progress.overlays(stage, shard) >= 0)
    return Line(stage.name, units, done, pace[stage.name] * (units - done) if stage.name in pace else None)


def _tell(console: Console, prepared: Prepared, plan: Plan, progress: Progress, lines: list[Line], name: str) -> None:
    people = sum(len(shard.subjects) for shard in plan.shards)
    own = [_line(prepared, plan, progress, stage, {}) for stage in prepared.workflow.given]
    prompts = sum(line.units for line in (*lines, *own) if line.stage.startswith("prompt"))
    limited = f" of {plan.total_people}, limited" if plan.partial else ""
    console.say(f"Run {name} ({plan.run}): {people} people{limited}, {len(plan.shards)} shards, {prompts} prompts")
    console.say(f"{'stage':<36}{'units':>9}{'done':>9}{'to do':>9}{'process s':>11}")
    for line in lines:
        seconds = "?" if line.seconds is None else f"{line.seconds:.1f}"
        console.say(f"{line.stage:<36}{line.units:>9}{line.done:>9}{line.units - line.done:>9}{seconds:>11}")
        console.event("stage", stage=line.stage, units=line.units, done=line.done, seconds=line.seconds)
    known = [line.seconds for line in lines if line.seconds is not None]
    processes = prepared.experiment.execution.encoder.max
    if len(known) == len(lines):
        total = sum(known)
        console.say(f"About {total:.0f} process seconds, {total / processes:.0f} s on {processes} processes, plus start-up.")
        console.say("Basis: seconds a row of each stage, measured by earlier runs in this store.")
    else:
        console.say("No time is known for '?': no run in this store has measured it. Try `mien run ... --limit 20` first.")
    console.say("Models: the sentence encoder on CPU and the template writer: no tokens are bought, no images made, no GPU hours.")
    console.event("plan", run=plan.run, people=people, prompts=prompts, partial=plan.partial)
