"""What judges decided: a rating, or who was preferred of two in one order or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AorB = Literal["a", "b"]
"""The two candidates of a unit, whichever is shown first."""

Preferred = Literal["a", "b", "tie"]
"""Who was chosen."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One reply as read: `decision` is a rating's number or the chosen letter; `confidence` None where none was asked for or given."""

    decision: float | str
    confidence: float | None
    reason: str
    reply: str
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating from 0 to 5, and the words of what was rated."""

    score: float
    words: int
    reason: str
    reply: str
    model: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """One order of a pair: who was shown first, and who was preferred."""

    first: AorB
    preferred: Preferred
    confidence: float | None
    reason: str
    reply: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A pair's verdicts, in each order that was asked, and the words of both candidates."""

    asked: tuple[Asked, ...]
    words_a: int
    words_b: int
    model: str
    input_tokens: int
    output_tokens: int
