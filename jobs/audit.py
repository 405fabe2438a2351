"""Counting what a store really holds of a run: every planned unit once, and computed from exactly what is stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from engine.store.plans import Plan
from engine.store.results import Results
from jobs.failures import stale_units
from jobs.progress import progress_of
from jobs.references import ABSENT
from jobs.workflow import Workflow, sharded


@dataclass(frozen=True, slots=True)
class Audit:
    """Units of all stages: planned ones, those without a result, results too many (a unit in two shards' files), results of units
    that are not planned, and those that were computed from anything but what is stored."""

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
    """Read every result file of a run, bytes checked, and count. Raises CorruptObject, also for a unit that stands twice in one file."""
    progress = progress_of(workflow, results)
    planned, lost, duplicated, foreign = 0, 0, 0, 0
    for stage in sharded(workflow):
        units = {unit.key for shard in plan.shards for unit in workflow.units(shard, stage)}
        present = [progress.wanted(stage, shard, []) for shard in plan.shards if progress.overlays(stage, shard) != ABSENT]
        found: Counter[str] = Counter()
        for table in results.merged_many(present):
            found.update(table["unit"].to_pylist())
        planned += len(units)
        lost += len(units - found.keys())
        duplicated += found.total() - len(found)
        foreign += len(found.keys() - units)
    stale = sum(1 for shard in plan.shards for _ in stale_units(workflow, results, progress, shard))
    return Audit(planned, lost, duplicated, foreign, stale)
