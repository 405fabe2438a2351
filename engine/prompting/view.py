"""Whose profile a method is shown, and how much of it: the right person's or a stranger's, whole or one half of the captions.

Halves are for cross-fitting: what a method saw of a person must not be what it is scored on (METRICS, Cross-fitted). They are drawn from
the person's key alone, so every method, run and machine splits a person alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from engine.errors import InputError
from engine.keys import Json, seed_of
from engine.prompting.retrieval import distinct_elements
from engine.records import Profile
from engine.stage import Half, Per, Unit

SPLIT_RULE = "split-1"
FEWEST_CAPTIONS = 4
"""Captions that a person needs to be split: two to see, two to be scored on."""

OTHER: dict[Half, Half] = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True)
class View:
    """What a stage shows of whom. `share` is the share of people whose captions are split, drawn by their keys; 1 without halves."""

    stranger: bool = False
    halves: bool = False
    share: float = 1.0

    @property
    def per(self) -> Per:
        """What a stage with this view has a unit of."""
        return "half" if self.halves else "task"

    @property
    def suffix(self) -> str:
        """What tells a stage with this view from its siblings."""
        return ("-stranger" if self.stranger else "") + ("-halves" if self.halves else "")

    def halved(self, share: float) -> View:
        """The same with one half of the captions at a time, for a share of the people."""
        return replace(self, halves=True, share=share)

    def takes(self, unit: Unit) -> bool:
        """Whether this view exists for a unit: a stranger is needed, and a person who is in the share."""
        return (not self.stranger or bool(unit.strangers)) and (not self.halves or in_share(unit.subject, self.share))

    def subject(self, unit: Unit) -> str:
        """Whose profile is shown."""
        return unit.strangers[0] if self.stranger else unit.subject

    def strangers(self, unit: Unit) -> tuple[str, ...]:
        """Whom the prompt is scored against beside the right person: a prompt from a stranger's profile is no stranger to that one."""
        return unit.strangers[1:] if self.stranger else unit.strangers

    def shown(self, unit: Unit, profile: Profile) -> Profile:
        """What is shown of the profile of `subject(unit)`. Raises InputError "too-few-captions" where there is nothing to split."""
        return restricted(profile, half_of(self.subject(unit), len(profile.captions), unit.half)) if self.halves else profile

    def recipe(self) -> dict[str, Json]:
        """For fingerprints: the share says which people there are rows for, so it is part of it."""
        return {"stranger": self.stranger, **({"halves": SPLIT_RULE, "share": self.share} if self.halves else {})}


WHOLE = View()
STRANGER = View(stranger=True)


@lru_cache(maxsize=1 << 16)
def in_share(subject: str, share: float) -> bool:
    """Whether a person belongs to a share of all people: a draw by the person's key alone, so larger shares hold the smaller ones."""
    return seed_of(SPLIT_RULE, "share", subject) < share * 2**63


def half_of(subject: str, captions: int, half: Half) -> list[int]:
    """Indices of a person's captions in half "a" or "b", ascending; an odd one is in "a". Raises InputError for fewer than four."""
    if captions < FEWEST_CAPTIONS:
        raise InputError(
            f"a person with {captions} captions cannot be split into halves.",
            field="captions",
            remedy=f"Give at least {FEWEST_CAPTIONS}, or run with cross_fit: 0.",
            code="too-few-captions",
        )
    # Random.random is the one method whose stream Python promises to keep.
    random = Random(seed_of(SPLIT_RULE, subject))
    order = sorted(range(captions), key=[random.random() for _ in range(captions)].__getitem__)
    middle = (captions + 1) // 2
    return sorted(order[:middle] if half == "a" else order[middle:])


def restricted(profile: Profile, captions: Sequence[int]) -> Profile:
    """The profile with some of its captions and the elements that these use."""
    kept = tuple(profile.captions[index] for index in captions)
    return replace(profile, captions=kept, elements=tuple(dict.fromkeys(element for caption in kept for element in caption.elements)))


def element_rows(profile: Profile, shown: Profile) -> list[int]:
    """Where the elements of a restricted profile stand among those of the whole one."""
    places = {text: row for row, text in enumerate(distinct_elements(profile))}
    return [places[text] for text in distinct_elements(shown)]
