"""The checks that every text of a person passes, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.metrics.novelty import ngrams
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.persona.facets import permitted
from engine.profiles.quality.function_words import FUNCTION_WORDS
from engine.tokens import tokens

RULES = "people-by-model-1"
"""Raised whenever a check changes what is kept."""

ECHOED = 5
"""Words in a row: no caption shares as many with a persona seed (VPTT)."""
LOOP = 3
"""Words in a row that a text says twice."""
ALIKE = 0.5
"""Share of the content words of two texts that both have, from which on they are one text."""
QUOTED = 60
"""Characters of a text that its complaint repeats."""
_SENTENCE_ENDS, _CLAUSE_ENDS = ".!?", ",;:"
_WORD = re.compile(r"\S+")
_QUOTES = "\"'“”‘’`"


def text_of(item: object, least: int, limit: int) -> str:
    """`item` as a text on one line, of at least `least` words and under `limit` characters, that says nothing twice. Raises Rejected.

    What a text says again, and what only the schema's limit ended, is cut off at the end of a clause, if enough is left before.
    """
    if not isinstance(item, str):
        raise Rejected(Fault.SHAPE, type(item).__name__)
    text = " ".join(item.split())
    if text[:1] in _QUOTES and text[-1:] in _QUOTES:
        text = text.strip(_QUOTES).strip()
    if len(tokens(text)) < least:
        raise Rejected(Fault.TOO_SHORT, quoted(text))
    if len(item) > limit:
        raise Rejected(Fault.TOO_LONG, quoted(text))
    if len(item) == limit:
        text = _cut(text, len(text), least, Fault.CUT_OFF)
    if (end := _loop(text)) is not None:
        text = _cut(text, end, least, Fault.LOOPS)
    return text


def _loop(text: str) -> int | None:
    """Where a text begins to say three words in a row for the second time."""
    seen: set[tuple[str, ...]] = set()
    words: list[str] = []
    for found in _WORD.finditer(text):
        for word in tokens(found[0]):
            words.append(word)
            gram = tuple(words[-LOOP:])
            if len(gram) == LOOP and gram in seen:
                return found.start()
            seen.add(gram)
    return None


def _cut(text: str, end: int, least: int, fault: Fault) -> str:
    """`text` up to its last sentence, or else clause, that ends before `end`. Raises Rejected where too little is left."""
    for marks in (_SENTENCE_ENDS, _CLAUSE_ENDS):
        cut = text[: max(text.rfind(mark, 0, end) for mark in marks) + 1].rstrip(",;: ")
        if len(tokens(cut)) >= least and _loop(cut) is None:
            return cut
    raise Rejected(fault, quoted(text))


def refuse_echo(text: str, shown: Iterable[str], run: int = ECHOED) -> None:
    """Raise Rejected if `text` has `run` words in a row of what was shown, or is one of these texts."""
    words = tokens(text)
    grams = ngrams(words, run)
    for other in shown:
        theirs = tokens(other)
        if words == theirs or not grams.isdisjoint(ngrams(theirs, run)):
            raise Rejected(Fault.ECHO, quoted(text))


def refuse_alike(text: str, others: Iterable[str]) -> None:
    """Raise Rejected if `text` shares half of its content words with one of `others`, taken together."""
    words = _content(text)
    for other in others:
        theirs = _content(other)
        if len(words & theirs) >= ALIKE * len(words | theirs):
            raise Rejected(Fault.REPEATED, quoted(text))


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about; all, if that is none."""
    words = set(tokens(text))
    return words - FUNCTION_WORDS or words


def refuse_denied(text: str, rejected: frozenset[str]) -> None:
    """Raise Rejected if `text` shows what a persona seed rejects (stems)."""
    if not permitted(text, rejected):
        raise Rejected(Fault.DENIED, quoted(text))


def stands_in(words: str, text: str) -> bool:
    """Whether `words` stand in `text` as a run of whole tokens."""
    sought = " ".join(tokens(words))
    return bool(sought) and f" {sought} " in f" {' '.join(tokens(text))} "


def quoted(text: str) -> str:
    """The beginning of a text, for a complaint."""
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
