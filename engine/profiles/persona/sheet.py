"""A persona sheet: the sentences that describe one person, and the key under which equal sheets are one person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine import keys
from engine.profiles import limits
from engine.profiles.fields import FieldError, text
from engine.tokens import tokens

# The end of a sentence: a stop and a capital or "I" after it, so that "St. Louis" and "2.5 kids" mostly stay whole.
_END = re.compile(r"(?<=[.!?。！？])\s+(?=\S)|[\r\n]+")


@dataclass(frozen=True, slots=True)
class PersonaSheet:
    """Sentences of one person, sorted by their normalised form; `marks` are those forms, `key` the content key of the set."""

    sentences: tuple[str, ...]
    marks: tuple[str, ...]
    key: str


def normalised(sentence: str) -> str:
    """A sentence as sheets are compared by: its tokens."""
    return " ".join(tokens(sentence))


def sheet_of(raw: object) -> PersonaSheet:
    """The sheet in a raw row: a string, a list of sentences, or {"persona": either}. Raises FieldError for anything else."""
    at = "persona" if isinstance(raw, dict) else ""
    body = raw.get("persona") if isinstance(raw, dict) else raw
    if isinstance(raw, dict) and body is None:
        raise FieldError("persona", "is missing", 'Give {"persona": "..."} or {"persona": ["I ...", ...]}.')
    if isinstance(body, str):
        sentences: Iterable[str] = _END.split(text(body, at, required=True))
    elif isinstance(body, list):
        if len(body) > limits.MAX_SENTENCES:
            raise FieldError(at, f"has {len(body)} sentences, more than {limits.MAX_SENTENCES}", "Keep fewer.")
        sentences = [text(item, f"{at}[{i}]", required=True) for i, item in enumerate(body)]
    else:
        raise FieldError(
            at, f"is {type(body).__name__}, neither text nor a list of sentences", "Give the persona as one or more sentences."
        )
    return _sheet(sentences)


def _sheet(sentences: Iterable[str]) -> PersonaSheet:
    # Of spellings that compare equal the least one is kept, so that the sheet does not depend on the order of a file.
    spelled: dict[str, str] = {}
    for sentence in sentences:
        mark, shown = normalised(sentence), sentence.strip()
        if mark:
            spelled[mark] = min(shown, spelled.get(mark, shown))
    if not spelled:
        raise FieldError("persona", "says nothing", "Give at least one sentence.")
    if len(spelled) > limits.MAX_SENTENCES:
        raise FieldError("persona", f"has {len(spelled)} sentences, more than {limits.MAX_SENTENCES}", "Keep fewer.")
    marks = tuple(sorted(spelled))
    return PersonaSheet(tuple(spelled[mark] for mark in marks), marks, keys.content_key(list(marks)))
