"""From ranked phrases to one prompt: query, then summary, then everything else as ranked. Pure text, any script.

    "An afternoon in the park; a retired weaver, with brass samovar, hand-woven rug; low winter light"

Over budget whole lowest-ranked phrases go, never the query; a phrase that says the same as an earlier one is left out first.
Source: METRICS, VPRAG (ours); VPTT, Methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from engine.prompting.budget import Budget, word_count
from engine.prompting.phrases import QUERY, SUMMARY, Phrase, normalised

VERSION = "assembly-1"

_SENTENCE_END = regex.compile(r"\p{Sentence_Terminal}[\p{Pe}\p{Pf}\"'\s]*$", regex.VERSION1)
_LATIN = regex.compile(r"\p{Latin}")


@dataclass(frozen=True, slots=True)
class Assembled:
    """A prompt, its words, its pieces in prompt order (the query first, each verbatim in the prompt) and how many phrases were cut."""

    prompt: str
    words: int
    pieces: tuple[Phrase, ...]
    cut: int


def assemble(query: str, ranked: Sequence[Phrase], budget: Budget) -> Assembled | None:
    """The prompt for `query` from phrases ranked best first; None if the query alone is over budget.

    `cut` counts the phrases that the budget dropped, not the repeated ones.
    """
    if budget.words is not None and word_count(query) > budget.words:
        return None
    distinct = list(_without_repeats(query, ranked))
    fitting = [phrase for phrase in distinct if budget.phrase_words is None or word_count(phrase.text) <= budget.phrase_words]
    kept = fitting[: budget.phrases]
    while True:
        pieces = in_prompt_order(query, kept)
        prompt = joined(pieces)
        words = word_count(prompt)
        if budget.words is None or words <= budget.words or not kept:
            return Assembled(prompt, words, pieces, len(distinct) - len(kept))
        kept = kept[: _prefix(kept, words - budget.words)]


def in_prompt_order(query: str, ranked: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """The query, then the summary phrases, then the others, each group as ranked."""
    summary = [phrase for phrase in ranked if phrase.kind == SUMMARY]
    return (Phrase(query, QUERY), *summary, *(phrase for phrase in ranked if phrase.kind != SUMMARY))


def joined(pieces: Sequence[Phrase]) -> str:
    """One line of text from pieces in prompt order, each verbatim.

    A comma joins elements of one category and a clause to the element after it, a semicolon everything else; after a query that is a
    whole sentence a space is enough. The first element is led in by "with" where the query is written in Latin letters.
    """
    parts = [pieces[0].text]
    led_in = not _LATIN.search(pieces[0].text)
    for before, piece in pairwise(pieces):
        if before.kind == QUERY and _SENTENCE_END.search(before.text):
            parts.append(" " if before.text[-1].strip() else "")
        else:
            parts.append(", " if _continues(before, piece) else "; ")
        if piece.kind == "element" and not led_in:
            parts.append("With " if parts[-1] == " " else "with ")
            led_in = True
        parts.append(piece.text)
    return "".join(parts)


def _continues(before: Phrase, piece: Phrase) -> bool:
    if piece.kind != "element":
        return False
    return before.kind != "element" or before.category == piece.category


def _without_repeats(query: str, ranked: Sequence[Phrase]) -> Iterator[Phrase]:
    seen = {normalised(query)}
    for phrase in ranked:
        normal = normalised(phrase.text)
        if normal and normal not in seen:
            seen.add(normal)
            yield phrase


def _prefix(kept: Sequence[Phrase], excess: int) -> int:
    """How many of `kept` to keep at most when `excess` words must go: one phrase fewer, or more where that cannot suffice."""
    size = len(kept)
    while size and (size == len(kept) or excess > 1):  # the lead-in "with" may be the last word to go
        size -= 1
        excess -= word_count(kept[size].text)
    return size
