"""Raw rows of a JSONL, text or Parquet file, streaming: what can go wrong with a file is told apart from what can go wrong with a row."""

from __future__ import annotations

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


def raw_rows(path: Path, *, required: tuple[str, ...] = (), text_lines: bool = False) -> Iterator[tuple[int, object]]:
    """(line or row number, raw row or Unreadable) of `path`; blank lines are skipped.

    `required` are columns that a Parquet file must have; `text_lines` also accepts `.txt`, each line a string. Raises InputError for an
    unreadable file, as `engine.profiles.reading.read_people` says.
    """
    if not path.exists():
        raise InputError("no such file", file=str(path), remedy="Check the path.")
    if not path.is_file():
        raise InputError("is not a file", file=str(path), remedy="Name one JSONL or Parquet file.")
    kinds = (*_TYPES, ".txt") if text_lines else _TYPES
    kind = path.suffix.lower()
    if kind not in kinds:
        raise InputError(f"unknown type {path.suffix or 'without suffix'!r}", file=str(path), remedy=f"Use one of {', '.join(kinds)}.")
    rows = _parquet(path, required) if kind == ".parquet" else _lines(path, plain=kind == ".txt")
    first = next(rows, None)
    if first is None:
        raise InputError("has no rows", file=str(path), remedy="Give a file with at least one person.")
    return _after(first, rows)


def _after(first: tuple[int, object], rows: Iterator[tuple[int, object]]) -> Iterator[tuple[int, object]]:
    yield first
    yield from rows


def _lines(path: Path, *, plain: bool) -> Iterator[tuple[int, object]]:
    with path.open("rb") as file:
        line = 0
        while data := file.readline(limits.MAX_LINE_BYTES + 1):
            line += 1
            if len(data) > limits.MAX_LINE_BYTES:
                _skip_rest(file, data)
                yield line, Unreadable(f"the line is longer than {limits.MAX_LINE_BYTES // 2**20} MiB", "Write one person a line.")
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
        return Unreadable("JSON nested too deeply, or a number too long", "Write plain people: no value needs more than a few levels.")
    return value


def _parquet(path: Path, required: tuple[str, ...]) -> Iterator[tuple[int, object]]:
    remedy = "Write the file again: it is truncated or damaged."
    try:
        with pq.ParquetFile(path) as file:
            for column in required:
                if column not in file.schema_arrow.names:
                    wanted = f"Add it; found {', '.join(file.schema_arrow.names)[:200]}."
                    raise InputError("required column is missing", file=str(path), field=column, remedy=wanted)
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
