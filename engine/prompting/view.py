"""Whose profile a method is shown, and how much of it: the right person's or a stranger's; whole, one half of the captions, or all but
the post that is held out for the Turing test, whose scenario is then the query.

Halves are for cross-fitting: what a method saw of a person must not be what it is scored on (METRICS, Cross-fitted). They are drawn from
the person's key alone, so every method, run and machine splits a person alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from engine.errors import InputError
from engine.judging.held_post import RULE as HELD_POST_RULE
from engine.judging.held_post import held_query, hidden_posts
from engine.keys import Json, seed_of
from engine.prompting.retrieval import distinct_elements
from engine.records import Profile, Query
from engine.stage import Half, Per, Unit

SPLIT_RULE = "split-1"
FEWEST_CAPTIONS = 4
"""Captions that a person needs to be split: two to see, two to be scored on."""

OTHER: dict[Half, Half] = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True)
class View:
    """What a stage shows of whom. `share` is the share of people whose captions are split, drawn by their keys; 1 without halves.
    With `held_post` one post of the person's is hidden, and what is asked for is its moment."""

    stranger: bool = False
    halves: bool = False
    share: float = 1.0
    held_post: bool = False

    @property
    def per(self) -> Per:
        """What a stage with this view has a unit of."""
        return "person" if self.held_post else "half" if self.halves else "task"

    @property
    def suffix(self) -> str:
        """What tells a stage with this view from its siblings."""
        return ("-stranger" if self.stranger else "") + ("-halves" if self.halves else "") + ("-held" if self.held_post else "")

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
        rows = self.rows(unit, profile)
        return profile if rows is None else restricted(profile, rows)

    def rows(self, unit: Unit, profile: Profile) -> list[int] | None:
        """Indices of the captions that are shown; None for all of them. Raises InputError where nothing can be split or held out."""
        if self.held_post:
            hidden = hidden_posts(unit.subject, profile)
            return [row for row in range(len(profile.captions)) if row not in hidden]
        return half_of(self.subject(unit), len(profile.captions), unit.half) if self.halves else None

    def query(self, unit: Unit, profile: Profile) -> Query:
        """What is asked for. Raises InputError where no post can be held out."""
        if self.held_post:
            return held_query(unit.subject, profile)
        assert unit.query is not None
        return unit.query

    def recipe(self) -> dict[str, Json]:
        """For fingerprints: the share says which people there are rows for, so it is part of it."""
        halves: dict[str, Json] = {"halves": SPLIT_RULE, "share": self.share} if self.halves else {}
        held: dict[str, Json] = {"held_post": HELD_POST_RULE} if self.held_post else {}
        return {"stranger": self.stranger, **halves, **held}


WHOLE = View()
STRANGER = View(stranger=True)
HELD_POST = View(held_post=True)


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
