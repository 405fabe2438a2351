"""What remains of a plan: shards with missing results, with rows older than their inputs, and with failures that are to be tried again."""

from __future__ import annotations

from dataclasses import dataclass

from engine.store.plans import Plan
from engine.store.results import Results
from jobs.failures import failed_shards, stale_shards
from jobs.progress import progress_of, references
from jobs.references import ABSENT, ShardReference
from jobs.shard_runner import Retry
from jobs.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Remaining:
    """The shards that need work, and whether any was begun before."""

    references: list[ShardReference]
    begun: bool


def remaining(workflow: Workflow, plan: Plan, results: Results, retry: Retry | None) -> Remaining:
    """Look at the store: one listing a stage, and the last bytes of finished shards' final results if failures are to be tried again."""
    progress = progress_of(workflow, results)
    begun = any(progress.overlays(stage, shard) != ABSENT for shard in plan.shards for stage in workflow.stages)
    again = failed_shards(workflow, plan, results, progress, retry) if retry is not None and begun else set()
    stale = stale_shards(workflow, plan, results, progress)
    code = retry.code if retry else ""
    return Remaining(references(workflow, plan, progress, stale=stale, retry=again, code=code), begun)
