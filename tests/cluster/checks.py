"""What must hold of a run whatever was done to it. Each check returns what is wrong, in words; nothing is []."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.outcome import Answered
from engine.rows import Row, inputs_digest
from engine.stage import Stage
from engine.store import names
from engine.store.backend import Backend
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.workflow import Workflow, sharded

REPORT = ("summary.json", "report.md", "tables/results.csv")


@dataclass(frozen=True)
class Ended:
    """A run's store after its end, opened directly."""

    backend: Backend
    plan: Plan
    workflow: Workflow

    @property
    def stages(self) -> list[Stage[Any]]:
        """Every sharded stage: what the driver stored, then what workers computed."""
        return sharded(self.workflow)

    @cached_property
    def rows(self) -> dict[str, dict[str, dict[str, Row[Any]]]]:
        """Shard key -> stage id -> unit -> row. Raises Missing or CorruptObject."""
        results = Results(self.backend)
        return {shard.key: {stage.id: results.read(stage, shard.key, overlays=0) for stage in self.stages} for shard in self.plan.shards}

    def report(self, file: str) -> bytes:
        """A file of its report."""
        return self.backend.read(names.run(self.plan.run, "report") + f"/{file}")


def same_reports(run: Ended, undisturbed: Ended) -> list[str]:
    """The report's pure files, byte by byte (STORAGE, byte-identity)."""
    return [f"{file} differs from the undisturbed run's" for file in REPORT if run.report(file) != undisturbed.report(file)]


def one_result_each(run: Ended) -> list[str]:
    """One file a stage and shard, no overlay, nothing in quarantine, and in each exactly the plan's units, all answered."""
    wrong = [f"in quarantine: {name}" for name in run.backend.list("quarantine/")]
    for stage in run.stages:
        wanted = {names.result(stage.id, shard.key) for shard in run.plan.shards}
        found = set(run.backend.list(names.results_prefix(stage.id)))
        wrong += [f"missing: {name}" for name in sorted(wanted - found)] + [f"too many: {name}" for name in sorted(found - wanted)]
    if wrong:
        return wrong
    for shard in run.plan.shards:
        for stage in run.stages:
            rows = run.rows[shard.key][stage.id]
            units = sorted(unit.key for unit in run.workflow.units(shard, stage))
            if sorted(rows) != units:
                wrong.append(f"{stage.id} on {names.short(shard.key)} holds {len(rows)} units, not the plan's {len(units)}")
            wrong += [f"{stage.id}: {key} is no answer" for key, row in rows.items() if not isinstance(row.outcome, Answered)]
    return wrong


def consistent_lineage(run: Ended) -> list[str]:
    """Every row was computed from exactly the rows that are committed (STORAGE, rule 4)."""
    wrong = []
    for shard in run.plan.shards:
        rows = run.rows[shard.key]
        for stage in run.workflow.stages:
            units = {unit.key: unit for unit in run.workflow.units(shard, stage)}
            for key, row in rows[stage.id].items():
                read = [rows[each.stage.id][each.key].sha256 for each in stage.reads(units[key])]
                if row.input_sha256 != inputs_digest(read):
                    wrong.append(f"{stage.id}: {key} was computed from rows that are not the committed ones")
    return wrong


@dataclass(frozen=True, slots=True)
class Calls:
    """Units that calls were started for, against the plan and what the events can have cost."""

    units: int
    asked: int
    allowed: int
    wrong: list[str]


def calls_within_bound(run: Ended, logs: Collection[Path], hit: Collection[int]) -> Calls:
    """Each unit once, and once more for each process that was lost at work on its shard.

    `logs` are the drivers' call logs in order; every worker of a driver but the last was lost with it, of the last those in `hit`.
    A process works on one shard at a time, so the last shard in its log is all that it can have left unfinished.
    """
    asked: Counter[tuple[str, str]] = Counter()
    lost: Counter[str] = Counter()
    for number, log in enumerate(logs, start=1):
        for path in sorted(log.glob("*.jsonl")):
            entries = list(_entries(path))
            for entry in entries:
                if entry["event"] == "start":
                    asked.update({(stage, entry["shard"]): units for stage, units in entry["units"].items()})
            if entries and (number < len(logs) or int(path.stem) in hit):
                lost[entries[-1]["shard"]] += 1
    units = {
        (stage.id, shard.key): len(run.workflow.units(shard, stage))
        for stage in run.workflow.stages
        if stage.actor
        for shard in run.plan.shards
    }
    wrong = []
    for (stage, shard), planned in units.items():
        have, most = asked[stage, shard], planned * (1 + lost[shard])
        if not planned <= have <= most:
            wrong.append(f"{stage} on {names.short(shard)}: {have} units asked of {planned}; {lost[shard]} processes were lost at it")
    wrong += [f"{stage} on {shard} was asked and is not planned" for stage, shard in sorted(asked.keys() - units.keys())]
    allowed = sum(planned * lost[shard] for (_, shard), planned in units.items())
    return Calls(sum(units.values()), asked.total(), allowed, wrong)


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of one process; its last line may be cut short by its end."""
    for line in path.read_text().splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
