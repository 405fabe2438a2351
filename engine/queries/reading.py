"""Query files: JSON lines, plain text, and tables such as PartiPrompts; GenEval's JSON lines read as they are.

    .jsonl      an object a line: text (or prompt); optional id, task, family (or category, tag), breadth, source_id, source_caption, region
    .txt        a prompt a line
    .tsv .csv   a header with text or prompt; optional columns as above, in any case

Blank lines are passed over. Anything else that cannot be used raises InputError with file, line and field.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import regex

from engine.errors import InputError
from engine.queries.builtin import BREADTHS
from engine.records import Query
from engine.tokens import tokens

MAX_WORDS = 200

_ALIASES = {
    "id": ("id",),
    "text": ("text", "prompt"),
    "task": ("task",),
    "family": ("family", "category", "tag"),
    "breadth": ("breadth",),
    "source_id": ("source_id",),
    "source_caption": ("source_caption",),
    "region": ("region",),
}

Row = tuple[int, Mapping[str, object]]


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a file, in its order.

    A row without `task` gets the file's stem as a slug, without `id` that slug and the row's number, without `family` or `breadth` "".
    Raises InputError: not readable, not UTF-8, of another kind, no rows, broken JSON, no text, too long (over 200 words), a field that
    is not a string, an unknown breadth, a duplicate id.
    """
    rows = _ROWS.get(path.suffix.lower())
    if rows is None:
        raise InputError(
            f"{path.suffix or 'a file without an ending'} is no query file.", file=str(path), remedy=f"Use {', '.join(_ROWS)}."
        )
    task = slug(path.stem)
    queries: list[Query] = []
    lines: dict[str, int] = {}
    for number, (line, fields) in enumerate(rows(path, _text(path)), start=1):
        query = _query(path, line, fields, task, number)
        if query.id in lines:
            raise InputError(
                f"{query.id!r} is already the id of line {lines[query.id]}.",
                file=str(path),
                line=line,
                field="id",
                remedy="Give each query its own id, or leave ids out.",
                code="duplicate-id",
            )
        lines[query.id] = line
        queries.append(query)
    if not queries:
        raise InputError("holds no query.", file=str(path), remedy="Add at least one row.", code="no-rows")
    return tuple(queries)


def slug(name: str) -> str:
    """`name` in lower case with a hyphen for each run of anything but letters and digits of any script; "queries" if nothing is left."""
    return "-".join(regex.findall(r"[\p{L}\p{N}\p{M}]+", name.casefold())) or "queries"


def _query(path: Path, line: int, fields: Mapping[str, object], task: str, number: int) -> Query:
    given = {name.casefold(): value for name, value in fields.items()}
    found = {name: _field(path, line, given, aliases) for name, aliases in _ALIASES.items()}
    if found["breadth"] not in ("", *BREADTHS):
        raise InputError(
            f"{found['breadth']!r} is neither broad nor narrow.",
            file=str(path),
            line=line,
            field="breadth",
            remedy="Use one or leave it out.",
        )
    column = next((alias for alias in _ALIASES["text"] if alias in given), "text")
    words = len(tokens(found["text"]))
    if not words:
        raise InputError("holds no word.", file=str(path), line=line, field=column, remedy="Give each row a prompt.", code="empty-text")
    if words > MAX_WORDS:
        raise InputError(
            f"has {words} words.", file=str(path), line=line, field=column, remedy=f"Use at most {MAX_WORDS}.", code="too-long"
        )
    own_task = found["task"] or task
    return Query(**{**found, "task": own_task, "id": found["id"] or f"{own_task}-{number:04d}"})


def _field(path: Path, line: int, given: Mapping[str, object], aliases: tuple[str, ...]) -> str:
    """The first of `aliases` that holds something, as a string without white space around it; "" if none does."""
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


def _text_rows(path: Path, text: str) -> Iterator[Row]:
    for line, content in _lines(text):
        yield line, {"text": content}


def _json_rows(path: Path, text: str) -> Iterator[Row]:
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


def _table_rows(path: Path, text: str) -> Iterator[Row]:
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
                    header = _header(path, line, row)
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


def _header(path: Path, line: int, row: list[str]) -> list[str]:
    header = [cell.strip().casefold() for cell in row]
    if not set(header) & set(_ALIASES["text"]):
        raise InputError(
            f"the header has no column prompt or text: {', '.join(header)[:80]}.",
            file=str(path),
            line=line,
            field="prompt",
            remedy="Name the column of prompts in the first row.",
            code="no-prompt-column",
        )
    return header


_ROWS = {".jsonl": _json_rows, ".txt": _text_rows, ".tsv": _table_rows, ".csv": _table_rows}
