"""What remains of a plan: shards with missing results, with rows older than their inputs, and with failures that are to be tried again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from engine.stage import Stage
from engine.store.plans import Plan
from engine.store.results import Results
from jobs.failures import failed_shards, stale_shards
from jobs.progress import Progress, references
from jobs.references import ABSENT, ShardReference
from jobs.shard_runner import Retry
from jobs.workflow import Workflow


def is_begun(workflow: Workflow, plan: Plan, progress: Progress) -> bool:
    """Whether any shard has a result."""
    return any(progress.overlays(stage, shard) != ABSENT for shard in plan.shards for stage in workflow.stages)


def remaining(
    workflow: Workflow,
    plan: Plan,
    results: Results,
    progress: Progress,
    retry: Retry,
    *,
    phase: Sequence[Stage[Any]],
    not_again: Collection[int] = (),
) -> list[ShardReference]:
    """The shards that need work in a phase, from what exists and the last bytes of finished shards' final results.

    Failures that `retry` wants are tried again, but for those of the shards `not_again`.
    """
    again = failed_shards(workflow, plan, results, progress, retry, phase) - set(not_again) if is_begun(workflow, plan, progress) else set()
    stale = stale_shards(workflow, plan, results, progress, phase)
    return references(workflow, plan, progress, stale=stale, retry=again, code=retry.code, phase=phase)
