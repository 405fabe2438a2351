"""Columns of committed results, put beside the units that a report lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.stage import Stage, Unit
from engine.store.plans import Shard

_DECLINED = pa.array(["refused", "unparsed"])


def unit_columns(shard: Shard, units: list[Unit]) -> pa.Table:
    """Who and what each unit is, sorted by unit."""
    subjects = {subject.key: subject for subject in shard.subjects}
    columns: dict[str, list[str]] = {name: [] for name in ("unit", "subject", "person", "cluster", "query", "family", "task", "breadth")}
    for unit in sorted(units, key=lambda unit: unit.key):
        assert unit.query is not None
        subject, query = subjects[unit.subject], unit.query
        values = (unit.key, subject.key, subject.id, subject.cluster, query.id, query.family, query.task, query.breadth)
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))


class Beside:
    """Columns of a stage's rows beside the units of a table; null where the stage has no row for a unit."""

    def __init__(self, units: pa.Table, read: Mapping[str, pa.Table], stage: Stage[Any] | None) -> None:
        self._table = read.get(stage.id) if stage is not None else None
        self._rows = units.num_rows
        self._places = pc.index_in(units["unit"], value_set=self._table["unit"]) if self._table is not None else None

    def column(self, name: str) -> Any:
        return pa.nulls(self._rows) if self._table is None else self._table[name].take(self._places)

    def less(self, name: str, other: str) -> Any:
        """One column less another; null where either is."""
        if self._table is None:
            return pa.nulls(self._rows)
        return pc.subtract(self.column(name).cast(pa.float64()), self.column(other).cast(pa.float64()))


def ended(scores: Beside, *answers: Beside) -> dict[str, Any]:
    """How each unit ended, as "outcome", "code" and "message". The score of what was declined has failed; the first of `answers`, in the
    order in which they were asked for, that was refused or could not be read says what happened."""
    found = {name: scores.column(name) for name in ("outcome", "code", "message")}
    for stage in reversed(answers):
        declined = pc.fill_null(pc.is_in(stage.column("outcome").cast(pa.string()), value_set=_DECLINED), False)
        told = {"outcome": stage.column("outcome"), "code": pa.scalar(None, pa.string()), "message": stage.column("raw")}
        found = {name: pc.if_else(declined, value, found[name]) for name, value in told.items()}
    return found
