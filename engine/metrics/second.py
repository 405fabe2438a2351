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
    """The prompt of unit `key` to score against a person, who comes first, and strangers; captions `held_out` leave the person's."""

    key: str
    prompt: str
    people: tuple[PersonTexts, ...]
    held_out: frozenset[str]
