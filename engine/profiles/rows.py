"""Raw rows of a JSONL, text, CSV or Parquet file, streaming: what is wrong with a file is told apart from what is wrong with a row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError
from engine.profiles import limits

_TYPES = (".jsonl", ".ndjson", ".parquet")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that holds no data at all: broken JSON, a line beyond the limit, bytes that are no text."""

    reason: str
    remedy: str


def raw_rows(
    path: Path, *, required: tuple[str, ...] = (), text_lines: bool = False, tables: bool = False, what: str = "person"
) -> Iterator[tuple[int, object]]:
    """(line or row number, raw row or Unreadable) of `path`; blank lines are skipped.

    `required` are columns that a Parquet or CSV file must have; `text_lines` also accepts `.txt`, each line a string; `tables` also `.csv`,
    each row a dict of strings without its empty cells; `what` a row is. Raises InputError for an unreadable file, as
    `engine.profiles.reading.read_people` says.
    """
    if not path.exists():
        raise InputError("no such file", file=str(path), remedy="Check the path.")
    if not path.is_file():
        raise InputError("is not a file", file=str(path), remedy="Name one JSONL or Parquet file.")
    kinds = (*_TYPES, *((".txt",) if text_lines else ()), *((".csv",) if tables else ()))
    kind = path.suffix.lower()
    if kind not in kinds:
        raise InputError(f"unknown type {path.suffix or 'without suffix'!r}", file=str(path), remedy=f"Use one of {', '.join(kinds)}.")
    if kind == ".parquet":
        rows = _parquet(path, required)
    else:
        rows = _table(path, required) if kind == ".csv" else _lines(path, what, plain=kind == ".txt")
    first = next(rows, None)
    if first is None:
        raise InputError("has no rows", file=str(path), remedy=f"Give a file with at least one {what}.")
    return _after(first, rows)


def _after(first: tuple[int, object], rows: Iterator[tuple[int, object]]) -> Iterator[tuple[int, object]]:
    yield first
    yield from rows


def _lines(path: Path, what: str, *, plain: bool) -> Iterator[tuple[int, object]]:
    with path.open("rb") as file:
        line = 0
        while data := file.readline(limits.MAX_LINE_BYTES + 1):
            line += 1
            if len(data) > limits.MAX_LINE_BYTES:
                _skip_rest(file, data)
                yield line, Unreadable(f"the line is longer than {limits.MAX_LINE_BYTES // 2**20} MiB", f"Write one {what} a line.")
                continue
            if line == 1:
                data = data.removeprefix(b"\xef\xbb\xbf")
            try:
                decoded = data.decode("utf-8").strip("\r\n\t ")
            except UnicodeDecodeError as error:
                message = f"is not UTF-8 (byte {error.start + 1} of this line)"
                raise InputError(message, file=str(path), line=line, remedy="Save the file as UTF-8.") from None
            if decoded:
                yield line, decoded if plain else _json(decoded)


def _skip_rest(file: IO[bytes], data: bytes) -> None:
    while data and not data.endswith(b"\n"):
        data = file.readline(limits.MAX_LINE_BYTES)


def _json(decoded: str) -> object:
    try:
        value: object = json.loads(decoded)
    except json.JSONDecodeError as error:
        return Unreadable(f"broken JSON at column {error.colno}: {error.msg}", "Write one complete JSON value a line.")
    except (RecursionError, ValueError):
        return Unreadable("JSON nested too deeply, or a number too long", "Write plain values: none needs more than a few levels.")
    return value


def _table(path: Path, required: tuple[str, ...]) -> Iterator[tuple[int, object]]:
    """Rows of a table with a header; cells part at commas, or at semicolons where the header has them alone, as spreadsheets of some
    countries write it.
    """
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            semicolons = _header_parts_at_semicolons(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=";" if semicolons else ",", strict=True)
            header = [cell.strip().casefold() for cell in next(reader, [])]
            _all_there(path, required, header)
            line = reader.line_num + 1
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield line, _cells(header, cells)
                line = reader.line_num + 1
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", file=str(path), line=line, remedy="Save the file as CSV in UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"is not a table: {error}", file=str(path), line=line, remedy="Put text that holds quotes in quotes.") from error


def _header_parts_at_semicolons(header: str) -> bool:
    return ";" in header and "," not in header


def _cells(header: list[str], cells: list[str]) -> object:
    if len(cells) > len(header):
        return Unreadable(f"has {len(cells)} cells under {len(header)} column names", "Put text that holds the separator in quotes.")
    return {name: cell.strip() for name, cell in zip(header, cells, strict=False) if cell.strip()}


def _all_there(path: Path, required: tuple[str, ...], names: list[str]) -> None:
    for column in required:
        if column not in names:
            wanted = f"Add it; found {', '.join(names)[:200]}."
            raise InputError("required column is missing", file=str(path), field=column, remedy=wanted)


def _parquet(path: Path, required: tuple[str, ...]) -> Iterator[tuple[int, object]]:
    remedy = "Write the file again: it is truncated or damaged."
    try:
        with pq.ParquetFile(path) as file:
            _all_there(path, required, file.schema_arrow.names)
            row = 0
            for batch in file.iter_batches(batch_size=limits.BATCH_ROWS):
                for i in range(batch.num_rows):
                    row += 1
                    yield row, _row(batch, i)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"is no readable Parquet file ({str(error)[:200]})", file=str(path), remedy=remedy) from error


def _row(batch: pa.RecordBatch, i: int) -> object:
    try:
        return {name: column[i].as_py() for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    except UnicodeDecodeError:
        return Unreadable("holds bytes that are not UTF-8", "Write the text as UTF-8.")
