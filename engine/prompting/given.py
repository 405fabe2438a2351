"""Anyone's own prompts from a file: JSON lines, or a table with a header (.tsv, .csv).

    person       the person's id
    query        the id of a query as `mien queries` tells it, or the query's own words
    prompt       what the method wrote; an empty one is a failure of the method, never a score
    query_text   the query's words, if `query` is an id of yours (or `text`); optional
    task family  of a query of yours; optional
    method       which of several methods wrote it; optional

Names of fields are read in any case; fields of other names are passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.keys import content_key
from engine.nearest import did_you_mean
from engine.outcome import Answered, Failed, Outcome
from engine.prompting.writing import Written
from engine.queries.list_files import list_rows, text_field
from engine.tokens import tokens

KINDS = (".jsonl", ".tsv", ".csv")
MAX_WORDS = 2000
"""Far more than any encoder reads; what an encoder cuts is counted."""

NO_PROMPT, EMPTY_PROMPT, LONG_PROMPT = "no-prompt", "empty-prompt", "prompt-too-long"
CODES = (NO_PROMPT, EMPTY_PROMPT, LONG_PROMPT)
"""Codes of what a file of prompts lacks."""

_FIELDS = {
    "person": ("person",),
    "query": ("query",),
    "text": ("query_text", "text"),
    "task": ("task",),
    "family": ("family",),
    "prompt": ("prompt",),
    "method": ("method",),
}


@dataclass(frozen=True, slots=True)
class GivenRow:
    """One prompt with where it stands. `text` has the query's words where they stand apart from `query`; no field is None."""

    line: int
    person: str
    query: str
    text: str
    task: str
    family: str
    prompt: str
    method: str

    def asks(self, pool: Collection[str]) -> str:
        """The id of the row's query, where `pool` has the ids that are known: one's own query without an id is named by its words."""
        if self.query and (self.text or self.query in pool):
            return self.query
        return f"own-{content_key([self.text or self.query, self.task, self.family])[:12]}"


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A whole file of prompts."""

    path: Path
    rows: tuple[GivenRow, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that its rows name, in their order; () if they name none."""
        return tuple(dict.fromkeys(row.method for row in self.rows if row.method))

    def of(self, method: str) -> tuple[GivenRow, ...]:
        """The rows of one method: all of them, if no row names any. Raises InputError if rows name others only."""
        if not self.methods:
            return self.rows
        found = tuple(row for row in self.rows if row.method == method)
        if not found:
            raise InputError(
                f"no row is of the method '{method}'{did_you_mean(method, self.methods)}.",
                file=str(self.path),
                field="method",
                remedy=f"It has rows of {', '.join(self.methods)}.",
                code="no-method",
            )
        return found

    def prompts(self, method: str, pool: Collection[str]) -> dict[tuple[str, str], GivenRow]:
        """One method's rows by (person, id of the query). Raises InputError for a pair that stands twice."""
        found: dict[tuple[str, str], GivenRow] = {}
        for row in self.of(method):
            first = found.setdefault((row.person, row.asks(pool)), row)
            if first is not row:
                raise InputError(
                    f"line {first.line} has a prompt for this person and query already.",
                    file=str(self.path),
                    line=row.line,
                    field="query",
                    remedy="Keep one prompt for each person and query, or name the methods in a field `method`.",
                    code="duplicate-prompt",
                )
        return found


def read_given(path: Path) -> GivenFile:
    """A file of prompts, every row checked.

    Raises InputError naming file, line and field: not readable, not UTF-8, of another kind, no rows, broken JSON, no person, no query, no
    field `prompt`, a field that is not a string, or a method in some rows only.
    """
    rows = tuple(_row(path, line, fields) for line, fields in _rows(path))
    if not rows:
        raise InputError("holds no prompt.", file=str(path), remedy="Add at least one row.", code="no-rows")
    if any(row.method for row in rows):
        for row in rows:
            if not row.method:
                raise _wrong(path, row.line, "method", "is missing, and other rows have one", "Name the method in every row, or in none.")
    return GivenFile(path, rows)


def outcome_of(row: GivenRow | None, method: str) -> Outcome[Written]:
    """What a row says: the prompt, or why there is none; `row` is None where the file has no row."""
    if row is None:
        return Failed(NO_PROMPT, f"The file of {method} has no prompt for this person and query; `mien queries` tells who is asked what.")
    words = len(tokens(row.prompt))
    if not words:
        return Failed(EMPTY_PROMPT, f"The prompt of line {row.line} in the file of {method} holds no word.")
    if words > MAX_WORDS:
        return Failed(LONG_PROMPT, f"The prompt of line {row.line} in the file of {method} has {words} words, over {MAX_WORDS}.")
    return Answered(Written(row.prompt, words, (), 0))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    for line, fields in list_rows(path, kinds=KINDS, needed=frozenset({"prompt"}), what="file of prompts"):
        yield line, {name.casefold(): value for name, value in fields.items()}


def _row(path: Path, line: int, fields: Mapping[str, object]) -> GivenRow:
    found = {name: text_field(path, line, fields, aliases) for name, aliases in _FIELDS.items()}
    if not found["person"]:
        raise _wrong(path, line, "person", "is missing", "Give the person's id.")
    if not found["query"] and not found["text"]:
        raise _wrong(path, line, "query", "is missing", "Give the query's id as `mien queries` tells it, or its words.")
    if "prompt" not in fields:
        raise _wrong(path, line, "prompt", "is missing", 'Give the prompt; "" where the method wrote none.')
    return GivenRow(line, **found)


def _wrong(path: Path, line: int, field: str, what: str, remedy: str) -> InputError:
    return InputError(f"{what}.", file=str(path), line=line, field=field, remedy=remedy)


def named(rows: Sequence[GivenRow], shown: int = 3) -> str:
    """The first of some rows by line, for messages."""
    lines = ", ".join(str(row.line) for row in rows[:shown])
    return f"line{'' if len(rows) == 1 else 's'} {lines}{', ...' if len(rows) > shown else ''}"
