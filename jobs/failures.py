"""Which rows of a run are open: failed by themselves, or computed from inputs that have changed since.

`mien errors`, retries, the exit code and every pass of a driver look here, so that no open row is known to one and not to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.outcome import Failed, FailureKind
from engine.rows import inputs_digest
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


def stale_shards(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> set[int]:
    """Shards with a row that was computed from other inputs than are stored now.

    That can only be where a retry wrote an overlay or a file was set aside and computed again, and then did not get to what depends on it.
    """
    touched = [(index, shard) for index, shard in enumerate(plan.shards) if progress.is_touched(shard)]
    return {index for index, shard in touched if _is_stale(workflow, results, progress, shard)}


def _is_stale(workflow: Vptt, results: Results, progress: Progress, shard: Shard) -> bool:
    digests: dict[str, dict[str, str]] = {}
    for stage in (workflow.people, *workflow.stages):
        overlays = progress.overlays(stage, shard)
        if overlays == ABSENT:
            continue
        columns = ["subject", "sha256", "input_sha256"]
        rows = results.merged(stage, shard.key, overlays=overlays, columns=columns).to_pylist()
        digests[stage.id] = {row["unit"]: row["sha256"] for row in rows}
        for row in rows if all(each.id in digests for each in stage.inputs) else []:
            read = (digests[each.id].get(row["subject"] if each.per == "person" else row["unit"], "") for each in stage.inputs)
            if row["input_sha256"] != inputs_digest(read):
                return True
    return False


def _failed(results: Results, progress: Progress, stage: Stage[Any], shard: Shard) -> Iterator[tuple[str, str, Failed]]:
    """(unit, subject, failure) of a stage's failed rows on a shard."""
    overlays = progress.overlays(stage, shard)
    if overlays == ABSENT:
        return
    table = results.merged(stage, shard.key, overlays=overlays, columns=["subject", "outcome", "code", "message", "failure"])
    if "failed" not in table["outcome"].unique().to_pylist():
        return
    for row in table.to_pylist():
        if row["outcome"] == "failed":
            yield row["unit"], row["subject"], Failed(row["code"], row["message"], FailureKind(row["failure"]))
