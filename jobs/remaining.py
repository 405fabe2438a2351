"""What remains of a plan: shards with missing results, with rows older than their inputs, and with failures that are to be tried again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from engine.store.plans import Plan
from engine.store.results import Results
from jobs.failures import failed_shards, stale_shards
from jobs.progress import Progress, progress_of, references
from jobs.references import ABSENT, ShardReference
from jobs.shard_runner import Retry
from jobs.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Remaining:
    """The shards that need work, and whether any was begun before."""

    references: list[ShardReference]
    begun: bool
    progress: Progress


def remaining(workflow: Workflow, plan: Plan, results: Results, retry: Retry, *, not_again: Collection[int] = ()) -> Remaining:
    """Look at the store: one listing a stage, and the last bytes of finished shards' final results.

    Failures that `retry` wants are tried again, but for those of the shards `not_again`.
    """
    progress = progress_of(workflow, results)
    begun = any(progress.overlays(stage, shard) != ABSENT for shard in plan.shards for stage in workflow.stages)
    again = failed_shards(workflow, plan, results, progress, retry) - set(not_again) if begun else set()
    stale = stale_shards(workflow, plan, results, progress)
    return Remaining(references(workflow, plan, progress, stale=stale, retry=again, code=retry.code), begun, progress)
