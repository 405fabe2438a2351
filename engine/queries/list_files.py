"""Lists that people write by hand or by script: rows of fields from JSON lines, tables and plain text, each with its line.

    .jsonl      an object a line
    .txt        a `text` a line
    .tsv .csv   a header with column names in any case

Blank lines are passed over. Anything else that cannot be used raises InputError with file and line.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import regex

from engine.errors import InputError

Row: TypeAlias = tuple[int, Mapping[str, object]]
"""A row's line, counted from 1, and its fields."""


def list_rows(
    path: Path, *, kinds: Collection[str] = (".jsonl", ".txt", ".tsv", ".csv"), needed: frozenset[str], what: str
) -> Iterator[Row]:
    """The rows of a file; `needed` names columns of which a table must have one, `what` the kind of file in messages.

    Raises InputError: not readable, not UTF-8, of another kind, broken JSON, a table without such a column.
    """
    kind = path.suffix.lower()
    if kind not in kinds:
        raise InputError(f"{kind or 'a file without an ending'} is no {what}.", file=str(path), remedy=f"Use {', '.join(kinds)}.")
    return _ROWS[kind](path, _text(path), needed)


def text_field(path: Path, line: int, given: Mapping[str, object], aliases: tuple[str, ...]) -> str:
    """The first of `aliases` that holds something, as a string without white space around it; "" if none does. `given` has folded names."""
    for name in aliases:
        value = given.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise InputError(f"is not a string: {str(value)[:40]!r}.", file=str(path), line=line, field=name, remedy="Put it in quotes.")
        if regex.search(r"\p{Cs}", value):
            raise InputError("holds half of a surrogate pair.", file=str(path), line=line, field=name, remedy="Write the character itself.")
        return value.strip()
    return ""


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", file=str(path), remedy="Check the path.", code="unreadable") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8.", file=str(path), line=line, remedy="Save the file as UTF-8.", code="not-utf-8") from error


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Only line feeds end a line: str.splitlines would also break a prompt at U+2028 or a form feed.
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            yield line, content.strip()


def _text_rows(path: Path, text: str, _: frozenset[str]) -> Iterator[Row]:
    for line, content in _lines(text):
        yield line, {"text": content}


def _json_rows(path: Path, text: str, _: frozenset[str]) -> Iterator[Row]:
    for line, content in _lines(text):
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"is not JSON: {error}.", file=str(path), line=line, remedy="Write one object a line.", code="broken-json"
            ) from error
        if not isinstance(fields, dict):
            raise InputError("is not a JSON object.", file=str(path), line=line, remedy="Write one object a line.", code="broken-json")
        yield line, fields


def _table_rows(path: Path, text: str, needed: frozenset[str]) -> Iterator[Row]:
    # Tab-separated prompt lists write quotation marks as they are; only in CSV do they enclose a field.
    tabs = path.suffix.lower() == ".tsv"
    file = io.StringIO(text, newline="")
    reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(file, strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                if header is None:
                    header = _header(path, line, row, needed)
                elif len(row) > len(header):
                    raise InputError(
                        f"has {len(row)} cells under {len(header)} column names.",
                        file=str(path),
                        line=line,
                        remedy="Put text that holds the separator in quotes.",
                        code="broken-table",
                    )
                else:
                    yield line, dict(zip(header, row, strict=False))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"is not a table: {error}.", file=str(path), line=line, remedy="Mend the row.", code="broken-table") from error


def _header(path: Path, line: int, row: list[str], needed: frozenset[str]) -> list[str]:
    header = [cell.strip().casefold() for cell in row]
    if not set(header) & needed:
        raise InputError(
            f"the header has no column {' or '.join(sorted(needed))}: {', '.join(header)[:80]}.",
            file=str(path),
            line=line,
            field="prompt",
            remedy="Name the column of prompts in the first row.",
            code="no-prompt-column",
        )
    return header


_ROWS: dict[str, Callable[[Path, str, frozenset[str]], Iterator[Row]]] = {
    ".jsonl": _json_rows,
    ".txt": _text_rows,
    ".tsv": _table_rows,
    ".csv": _table_rows,
}
