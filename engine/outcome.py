"""The only four ways a unit of work can end.

Answered(value)            a usable result
Refused(raw)               the model declined
Unparsed(raw)              the model replied, but not in a form that can be read
Failed(code, message, kind)  no reply: `kind` decides whether a retry can help
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class FailureKind(StrEnum):
    """What a retry can do for a failed unit."""

    RETRYABLE = "retryable"
    PERMANENT = "permanent"
    OUT_OF_MEMORY = "out_of_memory"


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """A usable result."""

    value: T


@dataclass(frozen=True, slots=True)
class Refused:
    """The model declined; `raw` is what it said."""

    raw: str


@dataclass(frozen=True, slots=True)
class Unparsed:
    """The model replied, but not in a form that can be read; `raw` is what it said."""

    raw: str


@dataclass(frozen=True, slots=True)
class Failed:
    """No reply. `code` is short and stable, `message` says what happened and what to do."""

    code: str
    message: str
    kind: FailureKind = FailureKind.PERMANENT


Outcome = Answered[T] | Refused | Unparsed | Failed


def together(outcomes: Iterable[Outcome[T]]) -> Outcome[list[T]]:
    """All values as one answer, or the first outcome that is none."""
    values = []
    for outcome in outcomes:
        if not isinstance(outcome, Answered):
            return outcome
        values.append(outcome.value)
    return Answered(values)
