"""Human ratings written as CSV, Parquet or JSON lines; each is read again as it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError
from engine.human.records import SETTING, Kind, Row
from engine.spreadsheets import safe_cell

_HEAD = [pa.field("profile", pa.string(), nullable=False), *(pa.field(name, pa.string(), nullable=False) for name in ("query", *SETTING))]
_ANNOTATOR = pa.field("annotator", pa.string(), nullable=False)
SCHEMAS = {
    Kind.RATING: pa.schema(
        [
            *_HEAD,
            pa.field("method", pa.string(), nullable=False),
            _ANNOTATOR,
            pa.field("score", pa.float64(), nullable=False),
            pa.field("scale", pa.string(), nullable=False),
            pa.field("unit", pa.string(), nullable=False),
        ]
    ),
    Kind.PAIR: pa.schema([*_HEAD, *(pa.field(name, pa.string(), nullable=False) for name in ("first", "second", "choice")), _ANNOTATOR]),
    Kind.BEST: pa.schema(
        [*_HEAD, pa.field("options", pa.list_(pa.string()), nullable=False), pa.field("choice", pa.string(), nullable=False), _ANNOTATOR]
    ),
}
"""The columns of a file of each kind."""


def human_table(kind: Kind, rows: Iterable[Row]) -> pa.Table:
    """Rows as a table of the kind's schema, `options` as lists."""
    return pa.Table.from_pylist([row.model_dump(mode="json") for row in rows], schema=SCHEMAS[kind])


def write_human(path: Path, kind: Kind, rows: Sequence[Row]) -> None:
    """Write rows as the file's ending says: .csv, .parquet or .jsonl. Raises InputError for another ending."""
    table = human_table(kind, rows)
    match path.suffix.lower():
        case ".parquet":
            pq.write_table(table, path, compression="zstd")
        case ".jsonl":
            path.write_text(
                "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()), encoding="utf-8", newline="\n"
            )
        case ".csv":
            write_table(path, table.column_names, table.to_pylist())
        case other:
            ending = other or "without ending"
            raise InputError(f"cannot be written as {ending}", file=str(path), remedy="Use .csv, .parquet or .jsonl.")


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a CSV file that is safe to open in a spreadsheet; lists are parted by "|", what is lacking is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(column, "")) for column in columns] for row in rows])
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _cell(value: object) -> object:
    if isinstance(value, list):
        value = "|".join(value)
    return safe_cell(value) if isinstance(value, str) else value
