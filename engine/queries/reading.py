"""Query files: JSON lines, plain text, and tables such as PartiPrompts; GenEval's JSON lines read as they are.

    .jsonl      an object a line: text (or prompt); optional id, task, family (or category, tag), breadth, source_id, source_caption, region
    .txt        a prompt a line
    .tsv .csv   a header with text or prompt; optional columns as above, in any case

Blank lines are passed over. Anything else that cannot be used raises InputError with file, line and field.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import regex

from engine.errors import InputError
from engine.queries.builtin import BREADTHS
from engine.queries.list_files import list_rows, text_field
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
_NEEDED = frozenset(_ALIASES["text"])


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a file, in its order.

    A row without `task` gets the file's stem as a slug, without `id` that slug and the row's number, without `family` or `breadth` "".
    Raises InputError: not readable, not UTF-8, of another kind, no rows, broken JSON, no text, too long (over 200 words), a field that
    is not a string, an unknown breadth, a duplicate id.
    """
    task = slug(path.stem)
    queries: list[Query] = []
    lines: dict[str, int] = {}
    for number, (line, fields) in enumerate(list_rows(path, needed=_NEEDED, what="query file"), start=1):
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
    found = {name: text_field(path, line, given, aliases) for name, aliases in _ALIASES.items()}
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
