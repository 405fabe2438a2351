"""`mien plan`: what a run would do. Starts nothing, writes nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config import CONTROLS
from engine.config_loading import load
from engine.errors import CorruptObject
from engine.store.backend import Backend
from engine.store.journal import read_journal
from engine.store.opening import open_backend
from engine.store.plans import Plan, bound_run, check_name, known_names, load_plan
from engine.store.results import Results
from jobs.call_estimate import Units, calls_of
from jobs.commands.plan_calls import tell_calls
from jobs.console import Console
from jobs.given_prompts import check_given
from jobs.judge_calls import judge_calls
from jobs.people_source import read_shards
from jobs.planning import Prepared, make_plan, prepare
from jobs.progress import Progress, progress_of
from jobs.references import ABSENT
from jobs.vptt import Vptt


@dataclass(frozen=True, slots=True)
class Line:
    """One stage of a plan; seconds are process seconds of this store's earlier runs, None if there were none."""

    stage: str
    kind: str
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
    results = Results(backend)
    progress = progress_of(prepared.workflow, results)
    pace = seconds_per_row(backend)
    lines = _lines(prepared.workflow, plan, progress, pace)
    units = {stage.id: (line.units, line.done) for stage, line in zip(prepared.workflow.stages, lines, strict=True)}
    _tell(console, prepared, plan, lines, name, units)
    asked = (prepared.experiment, prepared.workflow, plan, results, progress, units)
    tell_calls(console, prepared.experiment, calls_of(*asked) + judge_calls(*asked))


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


def _lines(workflow: Vptt, plan: Plan, progress: Progress, pace: Mapping[str, float]) -> list[Line]:
    """One line a stage."""
    units: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for shard in plan.shards:
        for stage in workflow.stages:
            size = len(workflow.units(shard, stage))
            units[stage.id] += size
            done[stage.id] += size if progress.overlays(stage, shard) != ABSENT else 0
    return [
        Line(stage.name, stage.kind, of, done[stage.id], pace[stage.name] * (of - done[stage.id]) if stage.name in pace else None)
        for stage in workflow.stages
        for of in [units[stage.id]]
    ]


def _tell(console: Console, prepared: Prepared, plan: Plan, lines: list[Line], name: str, counts: Units) -> None:
    """Lines of one kind of stage are shown as one; with --json each stage is an event."""
    people = sum(len(shard.subjects) for shard in plan.shards)
    by_label = Counter[str]()  # over all writers and budgets
    for entrant in prepared.workflow.entrants:
        by_label[entrant.label] += counts[entrant.score.id][0]
    prompts = sum(by_label.values())
    limited = f" of {plan.total_people}, limited" if plan.partial else ""
    console.say(f"Run {name} ({plan.run}): {people} people{limited}, {len(plan.shards)} shards, {prompts} prompts to score")
    _tell_prompts(console, prepared, by_label)
    if drawn := sum(counts[score.look.images.id][0] for score in prepared.workflow.drawings.scores):
        console.say(f"Images by {', '.join(prepared.experiment.renderers())} together: {drawn}, and {people} galleries a renderer")
    console.say(f"{'kind of stage':<16}{'stages':>7}{'units':>10}{'done':>10}{'to do':>10}{'process s':>11}")
    for kind in dict.fromkeys(line.kind for line in lines):
        of_kind = [line for line in lines if line.kind == kind]
        units, done = sum(line.units for line in of_kind), sum(line.done for line in of_kind)
        costs = [line.seconds for line in of_kind if line.seconds is not None]
        seconds = f"{sum(costs):.1f}" if len(costs) == len(of_kind) else "?"
        console.say(f"{kind:<16}{len(of_kind):>7}{units:>10}{done:>10}{units - done:>10}{seconds:>11}")
    for line in lines:
        console.event("stage", stage=line.stage, units=line.units, done=line.done, seconds=line.seconds)
    known = [line.seconds for line in lines if line.seconds is not None]
    processes = prepared.experiment.execution.encoder.max
    if len(known) == len(lines):
        total = sum(known)
        console.say(f"About {total:.0f} process seconds, {total / processes:.0f} s on {processes} processes, plus start-up.")
        console.say("Basis: seconds a row of each stage, measured by earlier runs in this store.")
    else:
        console.say("No time is known for '?': no run in this store has measured it. Try `mien run ... --limit 20` first.")
    console.event("plan", run=plan.run, people=people, prompts=prompts, partial=plan.partial)


def _tell_prompts(console: Console, prepared: Prepared, by_label: Counter[str]) -> None:
    methods, controls = (
        ", ".join(f"{label} {n}" for label, n in by_label.items() if (label in CONTROLS) is kind) for kind in (False, True)
    )
    console.say(f"Prompts of each method, by {', '.join(prepared.experiment.writer_names())} together: {methods}")
    console.say(f"Prompts of each control: {controls}")
    for label, count in by_label.items():
        console.event("prompts", method=label, control=label in CONTROLS, prompts=count)
