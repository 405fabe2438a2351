"""What a language model wrote, within its budget: cut where a clause ends, at a word where the first clause alone is too long.

Words are METRICS' tokens. `cut` counts the clauses or phrases that were dropped or shortened: anything above 0 flags the prompt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import regex

from engine.prompting.assembly import assemble
from engine.prompting.budget import Budget, word_count
from engine.prompting.phrases import Phrase, clause_ends, clauses, normalised
from engine.tokens import tokens

VERSION = "fitting-1"

SAID = "said"
"""Source of a phrase that a model wrote."""

_LOOSE_END = " \t\r\n,;:，、；،؛"
_CHARACTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt within its budget, its words, and how many clauses or phrases were dropped or shortened."""

    prompt: str
    words: int
    cut: int


def fitted(text: str, budget: Budget, *, unfinished: bool = False) -> Fitted:
    """A whole prompt within `budget.words`; the empty prompt if not one word fits.

    `unfinished` says that the model was stopped: the clause it was in is dropped, if another stands before it.
    """
    whole = text
    if unfinished:
        *_, start, _ = (0, 0, *clause_ends(text))
        whole = _trimmed(text[:start]) or text
    kept = whole if budget.words is None else within(whole, budget.words)
    return Fitted(kept, word_count(kept), _lost(text, kept))


def fitted_phrases(query: str, phrases: Sequence[str], budget: Budget, *, unfinished: bool = False) -> Fitted:
    """The query and the first phrases, joined as `engine.prompting.assembly` joins them.

    Too long a phrase is shortened, or dropped if it repeats the query; one that says nothing beside the query or an earlier one is left out
    and does not count. The query must fit the budget. `unfinished` as in `fitted`.
    """
    complete = phrases[:-1] if unfinished and len(phrases) > 1 else phrases
    new = [phrase for phrase in complete if not _says(query, phrase)]
    short = [_shortened(query, phrase, budget.phrase_words) for phrase in new]
    ranked = [phrase for phrase in short if not _says(query, phrase)]
    made = assemble(query, [Phrase(phrase, SAID) for phrase in ranked], budget)
    assert made is not None, "the query fits"
    kept = {piece.text for piece in made.pieces[1:]}
    shortened = sum(before != after and (after in kept or after not in ranked) for before, after in zip(new, short, strict=True))
    return Fitted(made.prompt, made.words, made.cut + shortened + len(phrases) - len(complete))


def _shortened(query: str, phrase: str, limit: int | None) -> str:
    if limit is None or word_count(phrase) <= limit:
        return phrase
    return "" if _says(phrase, query) else within(phrase, limit)


def _says(text: str, phrase: str) -> bool:
    """Whether all tokens of a phrase stand in the text as one run."""
    return f" {normalised(phrase)} " in f" {normalised(text)} " or not tokens(phrase)


def within(text: str, limit: int) -> str:
    """The longest beginning of `text` of at most `limit` words that ends where a clause does, or a word if the first clause is longer."""
    if word_count(text) <= limit:
        return text
    ends = list(clause_ends(text))
    counts = list(accumulate(word_count(text[start:end]) for start, end in zip([0, *ends], ends, strict=False)))
    for end in reversed(ends[: bisect_right(counts, limit)]):
        kept = _trimmed(text[:end])
        if 0 < word_count(kept) <= limit:
            return kept
    return _at_a_word(text, limit)


def _at_a_word(text: str, limit: int) -> str:
    ends = [0, *(character.end() for character in _CHARACTER.finditer(text))]
    whole = word_count(text)
    longest = bisect_right(ends, limit, key=lambda end: word_count(text[:end])) - 1
    for end in reversed(ends[: longest + 1]):
        words = word_count(text[:end])
        # A cut inside a word makes two of it.
        if words <= limit and words + word_count(text[end:]) == whole:
            return _trimmed(text[:end])
    return ""


def _trimmed(text: str) -> str:
    return text.rstrip(_LOOSE_END)


def _lost(text: str, kept: str) -> int:
    """Clauses of `text` that `kept`, its beginning, lacks or has only in part."""
    return 0 if kept == text else len(clauses(text[len(kept) :])) or 1
