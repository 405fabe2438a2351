"""The rows of a result file: one outcome a unit, with the digests that prove what it was computed from.

Columns: unit, subject, outcome, code, message, failure, raw, sha256, input_sha256, then the stage's payload. `sha256` digests the
row's own outcome; `input_sha256` digests the `sha256` of the rows it read, so lineage can be checked unit by unit (STORAGE, rule 4).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from engine.outcome import Answered, Failed, FailureKind, Outcome, Refused, Unparsed
from engine.stage import Stage, Unit

V = TypeVar("V")

ROW_VERSION = 1
OUTCOMES = {Answered: "answered", Refused: "refused", Unparsed: "unparsed", Failed: "failed"}
_HEAD = [
    *(pa.field(name, pa.string(), nullable=False) for name in ("unit", "subject", "outcome")),
    *(pa.field(name, pa.string()) for name in ("code", "message", "failure", "raw")),
    *(pa.field(name, pa.string(), nullable=False) for name in ("sha256", "input_sha256")),
]


@dataclass(frozen=True, slots=True)
class Row(Generic[V]):
    """One unit's outcome and its lineage."""

    unit: str
    subject: str
    outcome: Outcome[V]
    sha256: str
    input_sha256: str


def row_schema(stage: Stage[Any]) -> pa.Schema:
    """The columns of a stage's result files. Raises ValueError for a payload that uses a name which every row has."""
    if taken := {field.name for field in _HEAD} & set(stage.payload.names):
        raise ValueError(f"{stage.name}: every row has {', '.join(sorted(taken))} already")
    return pa.schema([*_HEAD, *stage.payload])


def make_row(stage: Stage[V], unit: Unit, outcome: Outcome[V], input_sha256: str) -> Row[V]:
    """A row with its digest. Upstream's digest is part of it: an equal value from other inputs is another row."""
    return Row(unit.key, unit.subject, outcome, _digest(stage, outcome, input_sha256), input_sha256)


def inputs_digest(digests: Iterable[str]) -> str:
    """The digest of what a unit read: the `sha256` of its input rows, in the stage's order of inputs."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def rows_to_table(stage: Stage[V], rows: Sequence[Row[V]]) -> pa.Table:
    """The result table of `rows`, sorted by unit key so that a file's bytes do not depend on the order of work."""
    rows = sorted(rows, key=lambda row: row.unit)
    head: dict[str, list[Any]] = {field.name: [] for field in _HEAD}
    payload: dict[str, list[Any]] = {field.name: [] for field in stage.payload}
    for row in rows:
        for name, value in _head(row).items():
            head[name].append(value)
        encoded = stage.encode(row.outcome.value) if isinstance(row.outcome, Answered) else {}
        for name, values in payload.items():
            values.append(encoded.get(name))
    schema = row_schema(stage)
    columns = {**head, **payload}
    return pa.Table.from_arrays([pa.array(columns[field.name], type=field.type) for field in schema], schema=schema)


def table_to_rows(stage: Stage[V], table: pa.Table) -> list[Row[V]]:
    """The rows of a result table."""
    columns = {field.name: _values(table[field.name]) for field in row_schema(stage) if field.name in table.column_names}
    payload = [field.name for field in stage.payload]
    absent = [None] * table.num_rows
    rows: list[Row[V]] = []
    for index in range(table.num_rows):
        head = {field.name: columns[field.name][index] for field in _HEAD}
        outcome: Outcome[V]
        match head["outcome"]:
            case "answered":
                # A column that an older version did not write reads as None (STORAGE, rule 7).
                outcome = Answered(stage.decode({name: columns.get(name, absent)[index] for name in payload}))
            case "refused":
                outcome = Refused(head["raw"])
            case "unparsed":
                outcome = Unparsed(head["raw"])
            case _:
                outcome = Failed(head["code"], head["message"], FailureKind(head["failure"]))
        rows.append(Row(head["unit"], head["subject"], outcome, head["sha256"], head["input_sha256"]))
    return rows


def _head(row: Row[Any]) -> dict[str, str | None]:
    outcome = row.outcome
    failed = outcome if isinstance(outcome, Failed) else None
    return {
        "unit": row.unit,
        "subject": row.subject,
        "outcome": OUTCOMES[type(outcome)],
        "code": failed.code if failed else None,
        "message": failed.message if failed else None,
        "failure": failed.kind.value if failed else None,
        "raw": outcome.raw if isinstance(outcome, Refused | Unparsed) else None,
        "sha256": row.sha256,
        "input_sha256": row.input_sha256,
    }


def _digest(stage: Stage[V], outcome: Outcome[V], input_sha256: str) -> str:
    digest = hashlib.sha256(f"{OUTCOMES[type(outcome)]}\n{input_sha256}\n".encode())
    match outcome:
        case Answered(value):
            for name, column in sorted(stage.encode(value).items()):
                digest.update(name.encode() + b"\n")
                digest.update(column.tobytes() if isinstance(column, np.ndarray) else json.dumps(column, sort_keys=True).encode())
        case Failed(code, message, kind):
            digest.update(json.dumps([code, message, kind.value]).encode())
        case Refused(raw) | Unparsed(raw):
            digest.update(raw.encode())
    return digest.hexdigest()


def _values(column: pa.ChunkedArray) -> Sequence[Any]:
    """A column as Python values; lists of floats as numpy views, since a shard's vectors are megabytes."""
    if not (pa.types.is_list(column.type) and pa.types.is_floating(column.type.value_type)):
        values: list[Any] = column.to_pylist()
        return values
    array = column.combine_chunks()
    flat, offsets, valid = array.values.to_numpy(), array.offsets.to_numpy(), array.is_valid().to_pylist()
    return [flat[offsets[i] : offsets[i + 1]] if valid[i] else None for i in range(len(array))]
