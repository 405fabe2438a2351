"""What of a plan has a result, and which shards need work."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from engine.stage import Stage
from engine.store.names import parse, short
from engine.store.plans import Plan, Shard
from engine.store.results import Results, Wanted
from jobs.references import ABSENT, ShardReference
from jobs.workflow import Workflow, sharded


@dataclass(frozen=True, slots=True)
class Progress:
    """What of a plan has a result: stage id -> short shard -> highest overlay."""

    done: dict[str, dict[str, int]]
    set_aside: frozenset[str]
    """Short names of shards with a file in quarantine."""

    def overlays(self, stage: Stage[Any], shard: Shard) -> int:
        """The highest overlay of a stage's result on a shard; ABSENT if there is none."""
        return self.done[stage.id].get(short(shard.key), ABSENT)

    def wanted(self, stage: Stage[Any], shard: Shard, columns: Sequence[str]) -> Wanted:
        """Columns of a result that exists, as `Results.merged_many` reads them."""
        return Wanted(stage, shard.key, self.overlays(stage, shard), columns)

    def is_touched(self, shard: Shard) -> bool:
        """Whether anything of a shard was ever done again: only then can a row be older than what it was computed from."""
        name = short(shard.key)
        return name in self.set_aside or any(found.get(name, 0) > 0 for found in self.done.values())

    def is_done(self, stages: Sequence[Stage[Any]], shard: Shard) -> bool:
        """Whether a shard has every result."""
        return all(self.overlays(stage, shard) != ABSENT for stage in stages)

    def results(self, stages: Sequence[Stage[Any]], plan: Plan) -> tuple[int, int]:
        """(results that exist, results planned)."""
        have = sum(self.overlays(stage, shard) != ABSENT for stage in stages for shard in plan.shards)
        return have, len(stages) * len(plan.shards)


def progress_of(workflow: Workflow, results: Results) -> Progress:
    """List what exists: one listing a stage."""
    done = {stage.id: results.done(stage) for stage in sharded(workflow)}
    return Progress(done, frozenset(parse(name).shard for name in results.backend.list("quarantine/")) - {""})


def references(
    workflow: Workflow,
    plan: Plan,
    progress: Progress,
    *,
    stale: Collection[int] = (),
    retry: Collection[int] = (),
    code: str = "",
    phase: Sequence[Stage[Any]] = (),
) -> list[ShardReference]:
    """The shards that need work: what is missing of a `phase` (none: of all stages), what is stale, what is to be tried again."""
    stages = workflow.stages
    return [
        ShardReference(
            shard=index,
            done=tuple(progress.overlays(stage, shard) for stage in stages),
            inspect=progress.is_touched(shard),
            retry=index in retry,
            retry_code=code,
        )
        for index, shard in enumerate(plan.shards)
        if index in retry or index in stale or not progress.is_done(phase or stages, shard)
    ]
