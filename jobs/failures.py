"""What failed in a run, by unit: the input of `mien errors`, of retries, and of the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from engine.outcome import Failed, FailureKind
from engine.stage import Stage
from engine.store.plans import Plan, Shard
from engine.store.results import Results
from jobs.planning import Progress
from jobs.shard_runner import UPSTREAM
from jobs.vptt import Vptt
from jobs.worker import ABSENT


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed row; `is_root` if the unit's own stage failed, not one that it reads."""

    stage: str
    shard: int
    unit: str
    subject: str
    outcome: Failed

    @property
    def is_root(self) -> bool:
        """Whether the failure began here."""
        return not self.outcome.code.startswith(UPSTREAM)


def failures(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> Iterator[Failure]:
    """Every failed row of a run's results, shard by shard in the order of stages.

    A failure shows in whatever reads it, so a shard whose scores and ceilings are all answered is not looked at further.
    """
    finals: list[Stage[Any]] = [*workflow.scores, workflow.ceilings]
    for index, shard in enumerate(plan.shards):
        if progress.is_done(finals, shard) and not any(any(_failed(results, progress, stage, shard)) for stage in finals):
            continue
        for stage in (workflow.people, *workflow.stages):
            for unit, subject, outcome in _failed(results, progress, stage, shard):
                yield Failure(stage.name, index, unit, subject, outcome)


def _failed(results: Results, progress: Progress, stage: Stage[Any], shard: Shard) -> Iterator[tuple[str, str, Failed]]:
    """(unit, subject, failure) of a stage's failed rows on a shard."""
    overlays = progress.overlays(stage, shard)
    if overlays == ABSENT:
        return
    table = results.merged(stage, shard.key, overlays=overlays, columns=["subject", "outcome", "code", "message", "failure"])
    for row in table.filter(pc.equal(table["outcome"], "failed")).to_pylist():
        yield row["unit"], row["subject"], Failed(row["code"], row["message"], FailureKind(row["failure"]))
