"""Queries that a file of prompts assigns: each person is asked exactly what the file has a prompt of theirs for.

A row names a query of the pool by its id, or brings words of its own; those become a query of the pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.keys import content_key
from engine.nearest import did_you_mean
from engine.prompting.given import GivenFile, GivenRow
from engine.queries.reading import MAX_WORDS
from engine.records import Query
from engine.tokens import tokens

OWN_TASK = "own"
"""The task of a query of one's own that names none."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """The queries that are asked at all, in the order of their ids, and each person's, by the person's id."""

    pool: tuple[Query, ...]
    queries: Mapping[str, tuple[Query, ...]]

    @property
    def key(self) -> str:
        """Content key of whom it is about."""
        return content_key(sorted(self.queries))


def assign(files: Iterable[GivenFile], pool: Sequence[Query]) -> Assignment:
    """Who is asked what. Raises InputError for an id that `pool` lacks, for a query with other words than it has elsewhere, or too many."""
    known = {query.id: query for query in pool}
    asked: dict[str, Query] = {}
    of_person: dict[str, set[str]] = {}
    for file in files:
        for row in file.rows:
            query = _query(file, row, known)
            if asked.setdefault(query.id, query) != query:
                raise _wrong(file, row, "is another query elsewhere in the file", "Give each query its own id, words, task and family.")
            of_person.setdefault(row.person, set()).add(query.id)
    queries = {person: tuple(asked[name] for name in sorted(names)) for person, names in of_person.items()}
    return Assignment(tuple(asked[name] for name in sorted(asked)), queries)


def _query(file: GivenFile, row: GivenRow, known: Mapping[str, Query]) -> Query:
    found = known.get(row.query)
    if found is not None:
        if row.text and row.text != found.text:
            raise _wrong(file, row, "has other words than the query of that id", "Leave its text out, or give it an id of your own.")
        return found
    text = row.text or row.query
    if not row.text and len(text.split()) == 1:
        raise _wrong(
            file,
            row,
            f"'{text}' is no query{did_you_mean(text, known)}",
            "Give its words in a field query_text, or the id of a query of the pool (--queries FILE for another pool).",
        )
    words = len(tokens(text))
    if not 1 <= words <= MAX_WORDS:
        raise _wrong(file, row, f"has {words} words", f"A query has 1 to {MAX_WORDS} words.")
    return Query(row.asks(known), row.task or OWN_TASK, row.family, "", text)


def _wrong(file: GivenFile, row: GivenRow, what: str, remedy: str) -> InputError:
    return InputError(f"{what}.", file=str(file.path), line=row.line, field="query", remedy=remedy)
