"""Counting what a store really holds of a run: every planned unit once, and computed from exactly what is stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from engine.rows import Row, inputs_digest
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.progress import progress_of
from jobs.references import ABSENT
from jobs.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Audit:
    """Units of all stages: planned ones, those without a result, with more than one row in a file, not planned, and with lost lineage."""

    planned: int
    lost: int
    duplicated: int
    foreign: int
    stale: int

    @property
    def is_exact(self) -> bool:
        """Whether every planned unit has exactly one result, computed from exactly what is stored."""
        return not (self.lost or self.duplicated or self.foreign or self.stale)


def audit(workflow: Workflow, plan: Plan, results: Results) -> Audit:
    """Read and check every result of a run. Raises CorruptObject."""
    progress = progress_of(workflow, results)
    count: Counter[str] = Counter()
    for shard in plan.shards:
        rows: dict[str, dict[str, Row[Any]]] = {}
        for stage in (workflow.source, *workflow.stages):
            planned = {unit.key for unit in workflow.units(shard, stage)}
            overlays = progress.overlays(stage, shard)
            found = [] if overlays == ABSENT else results.table(stage, shard.key)["unit"].to_pylist()
            rows[stage.id] = {} if overlays == ABSENT else results.read(stage, shard.key, overlays=overlays)
            count["planned"] += len(planned)
            count["lost"] += len(planned - set(found))
            count["duplicated"] += len(found) - len(set(found))
            count["foreign"] += len(set(found) - planned)
            for row in rows[stage.id].values() if all(each.id in rows for each in stage.inputs) else []:
                read = (rows[each.id].get(row.subject if each.per == "person" else row.unit) for each in stage.inputs)
                count["stale"] += row.input_sha256 != inputs_digest(each.sha256 if each else "" for each in read)
    return Audit(**{name: count[name] for name in ("planned", "lost", "duplicated", "foreign", "stale")})
