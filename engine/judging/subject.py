"""What a judge is shown of a person: the persona, posts, the full questionnaire, or posts alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.records import CATEGORIES, Profile

Sees = Literal["persona", "captions", "full", "references"]
"""persona: the summary; captions: summary and posts; full: all that is known; references: posts alone."""

ELEMENTS_A_CATEGORY = 8


@dataclass(frozen=True, slots=True)
class Subject:
    """`facts`: lines about the person. `posts`: texts they shared; `pictures`: image objects of theirs in the store."""

    facts: tuple[str, ...] = ()
    posts: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


def subject_of(profile: Profile, sees: Sees, posts: int, hidden: Collection[int] = ()) -> Subject:
    """What is shown of a profile: at most `posts` captions, evenly over all but the `hidden` ones (by index)."""
    facts: list[str] = []
    if sees != "references" and profile.summary_given:
        facts.append(profile.summary_given)
    if sees == "full":
        facts += _questionnaire(profile, hidden)
    shown = () if sees == "persona" else _spread([text for i, text in enumerate(_texts(profile)) if i not in hidden], posts)
    return Subject(tuple(facts), tuple(shown))


def _texts(profile: Profile) -> list[str]:
    return [caption.text for caption in profile.captions]


def _spread(texts: Sequence[str], count: int) -> list[str]:
    n = min(count, len(texts))
    return [texts[i * len(texts) // n] for i in range(n)]


def _questionnaire(profile: Profile, hidden: Collection[int]) -> list[str]:
    known = profile.demographics
    named = (
        ("Age", known.age_band),
        ("Region", known.region),
        ("Culture", known.culture),
        ("Occupation", known.occupation),
        ("Interests", ", ".join(known.interests)),
    )
    lines = [f"{name}: {value}" for name, value in named if value]
    # An element that only a hidden post uses would give that post away.
    seen = {element for i, caption in enumerate(profile.captions) if i not in hidden for element in caption.elements}
    for category in CATEGORIES:
        texts = [each.text for each in profile.elements if each.category == category and (not hidden or each in seen)]
        if texts:
            lines.append(f"Often, {category}: {'; '.join(texts[:ELEMENTS_A_CATEGORY])}")
    return lines
