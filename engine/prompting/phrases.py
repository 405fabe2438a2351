"""Phrases: the pieces a prompt is put together from, each with where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

from engine.tokens import tokens

QUERY = "query"
SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece of text and its `source`: "query", "summary", "caption:<i>" or "element:<category>:<post>", posts being caption indices."""

    text: str
    source: str

    @property
    def kind(self) -> str:
        """The first part of the source: query, summary, caption or element."""
        return self.source.partition(":")[0]

    @property
    def category(self) -> str:
        """The category of an element, "" for any other phrase."""
        return self.source.partition(":")[2].rpartition(":")[0]


def caption_source(post: int) -> str:
    """The source of a clause from caption `post`."""
    return f"caption:{post}"


def element_source(category: str, post: int) -> str:
    """The source of an element of `category` that caption `post` gave."""
    return f"element:{category}:{post}"


@lru_cache(maxsize=1 << 15)
def normalised(text: str) -> str:
    """The form in which two phrases count as the same: their tokens (METRICS), or the bare text where there are none."""
    return " ".join(tokens(text)) or text.strip().casefold()


# Western marks end a clause only before a space or the end ("3.5" and "f/2.8" stay whole), taking a closing quote or bracket with
# them, and not after an initial or a title; the marks of other scripts always do.
_CLAUSE_END = regex.compile(
    r"(?:(?<!\b\p{L})(?<!\b(?:St|Mt|Mr|Mrs|Ms|Dr|vs))\.|[,;!?])[\p{Pf}\p{Pe}\"']*(?=\s|$)|[。，、；！？،؛؟۔।॥၊။።፣]|\n",
    regex.VERSION1,
)
_EDGE = " \t\r\f\v.,;:"


def clauses(text: str) -> tuple[str, ...]:
    """The clauses of `text`, split at , ; . (and their counterparts in other scripts), in order; pieces without a token are left out.

    White space inside a clause is collapsed and a leading "and" goes; nothing else changes. Source: VPTT, Methods.
    """
    found = []
    for piece in _CLAUSE_END.split(text):
        clause = tidied(piece)
        if clause.startswith("and "):
            clause = clause[4:].lstrip(_EDGE)
        if tokens(clause):
            found.append(clause)
    return tuple(found)


def clause_ends(text: str) -> Iterator[int]:
    """Where the clauses of `text` end: the index behind each mark that ends one, ascending; the text's length comes last."""
    for mark in _CLAUSE_END.finditer(text):
        if mark.end() < len(text):
            yield mark.end()
    yield len(text)


def tidied(text: str) -> str:
    """`text` on one line, without white space or separators at its ends."""
    return " ".join(text.split()).strip(_EDGE)
