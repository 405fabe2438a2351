"""What is asked of a second embedding space: texts only, since no stage stores vectors of it (METRICS, A second space)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PersonTexts:
    """A person's captions and reference summary ("" if there is none), under the key of their content."""

    key: str
    captions: tuple[str, ...]
    reference: str


@dataclass(frozen=True, slots=True)
class TextScoreRequest:
    """One prompt to score against a person, who comes first, and against strangers; captions `held_out` leave the person's."""

    prompt: str
    people: tuple[PersonTexts, ...]
    held_out: frozenset[str]
