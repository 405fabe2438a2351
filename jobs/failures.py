"""Which rows of a run are open: failed by themselves, or computed from inputs that have changed since.

`mien errors`, retries, the exit code and every pass of a driver look here, so that no open row is known to one and not to another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from engine.outcome import Failed, FailureKind
from engine.rows import inputs_digest
from engine.stage import Stage
from engine.store.plans import Plan, Shard
from engine.store.results import Results
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.shard_runner import UPSTREAM, Retry
from jobs.workflow import Workflow, sharded

LOOKS_AT_ONCE = 16
"""Shards whose last bytes are read at the same time: on S3 each costs a round trip."""


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


def failures(workflow: Workflow, plan: Plan, results: Results, progress: Progress) -> Iterator[Failure]:
    """Every failed row of a run's results, shard by shard in the order of stages.

    A failure shows in whatever reads it, so a shard whose final stages say that nothing failed is not looked at further.
    """
    looked_at = [
        (index, stage)
        for index in _suspects(workflow, plan, results, progress)
        for stage in sharded(workflow)
        if progress.overlays(stage, plan.shards[index]) != ABSENT
    ]
    columns = ["subject", "outcome", "code", "message", "failure"]
    tables = results.merged_many(progress.wanted(stage, plan.shards[index], columns) for index, stage in looked_at)
    for (index, stage), table in zip(looked_at, tables, strict=True):
        for unit, subject, outcome in _failed(table):
            yield Failure(stage.name, index, unit, subject, outcome)


def failed_shards(
    workflow: Workflow, plan: Plan, results: Results, progress: Progress, retry: Retry, phase: Sequence[Stage[Any]]
) -> set[int]:
    """Shards with a row of a phase that failed by itself and that `retry` wants."""
    found, names = failures(workflow, plan, results, progress), {stage.name for stage in phase}
    return {failure.shard for failure in found if failure.stage in names and failure.is_root and retry.wants(failure.outcome)}


def _suspects(workflow: Workflow, plan: Plan, results: Results, progress: Progress) -> Iterator[int]:
    """Shards that may hold a failed row: unfinished ones, and those whose final results do not say that all went well."""

    def is_clean(shard: Shard) -> bool:
        finals = workflow.finals
        if not progress.is_done(finals, shard):
            return all(progress.overlays(stage, shard) == ABSENT for stage in workflow.stages)
        return all(progress.overlays(stage, shard) == 0 and results.failed_rows(stage, shard.key) == 0 for stage in finals)

    with ThreadPoolExecutor(LOOKS_AT_ONCE, thread_name_prefix="look") as lookers:
        yield from (index for index, clean in enumerate(lookers.map(is_clean, plan.shards)) if not clean)


def stale_shards(workflow: Workflow, plan: Plan, results: Results, progress: Progress, phase: Sequence[Stage[Any]] = ()) -> set[int]:
    """Shards with a row of a phase (none: of any stage) that was computed from other inputs than are stored now.

    That can only be where a retry wrote an overlay or a file was set aside and computed again, and then did not get to what depends on it.
    """
    touched = [(index, shard) for index, shard in enumerate(plan.shards) if progress.is_touched(shard)]
    ids = {stage.id for stage in phase or workflow.stages}
    return {index for index, shard in touched if any(stage in ids for stage, _ in stale_units(workflow, results, progress, shard))}


def stale_units(workflow: Workflow, results: Results, progress: Progress, shard: Shard) -> Iterator[tuple[str, str]]:
    """(stage id, unit) of each row on a shard that was computed from other rows than are stored now."""
    digests: dict[str, dict[str, str]] = {}
    present = [stage for stage in sharded(workflow) if progress.overlays(stage, shard) != ABSENT]
    tables = results.merged_many(progress.wanted(stage, shard, ["subject", "sha256", "input_sha256"]) for stage in present)
    for stage, table in zip(present, tables, strict=True):
        rows = table.to_pylist()
        digests[stage.id] = {row["unit"]: row["sha256"] for row in rows}
        if not all(each.id in digests for each in stage.inputs):
            continue
        units = {unit.key: unit for unit in workflow.units(shard, stage)}
        for row in rows:
            read = stage.reads(units[row["unit"]]) if row["unit"] in units else ()
            if row["input_sha256"] != inputs_digest(digests[each.stage.id].get(each.key, "") for each in read):
                yield stage.id, row["unit"]


def _failed(table: pa.Table) -> Iterator[tuple[str, str, Failed]]:
    """(unit, subject, failure) of a table's failed rows."""
    if "failed" not in table["outcome"].unique().to_pylist():
        return
    for row in table.to_pylist():
        if row["outcome"] == "failed":
            yield row["unit"], row["subject"], Failed(row["code"], row["message"], FailureKind(row["failure"]))
