"""The Turing test's held-out post: drawn by the person's key, its scenario, shortened, is the query (VPTT, The Turing test)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InputError
from engine.keys import seed_of
from engine.records import Profile, Query
from engine.tokens import tokens

RULE = "held-post-2"
FEWEST_CAPTIONS = 4
"""Captions of a person who can be tested: the judge needs posts to know them by."""

SCENARIO_WORDS = 12
TASK = "turing"


def held_post(subject: str, profile: Profile) -> int:
    """The index of the held-out caption, among those with a scenario. Raises InputError where there is none, or too few captions."""
    there = [i for i, caption in enumerate(profile.captions) if tokens(caption.scenario)]
    if len(profile.captions) < FEWEST_CAPTIONS or not there:
        raise InputError(
            f"a person with {len(profile.captions)} captions, {len(there)} of them with a scenario, cannot be put to the Turing test.",
            field="captions",
            remedy=f"Give at least {FEWEST_CAPTIONS} captions, one with a scenario, or run without judging.turing.",
            code="no-held-post",
        )
    return there[seed_of(RULE, subject) % len(there)]


def hidden_posts(subject: str, profile: Profile) -> tuple[int, ...]:
    """The held-out caption, and those of equal words or equal scenario, which would give it away. Raises InputError as `held_post`."""
    held = profile.captions[held_post(subject, profile)]
    text, scenario = tokens(held.text), tokens(held.scenario)
    alike = (tokens(each.text) == text or tokens(each.scenario) == scenario for each in profile.captions)
    return tuple(i for i, is_alike in enumerate(alike) if is_alike)


def held_query(subject: str, profile: Profile) -> Query:
    """The held-out post's scenario as a query. Raises InputError as `held_post`."""
    text = shortened(profile.captions[held_post(subject, profile)].scenario)
    return Query(id=TASK, task=TASK, family=TASK, breadth="narrow", text=text)


def shortened(scenario: str) -> str:
    """At most `SCENARIO_WORDS` words, on one line."""
    words = scenario.split()
    return " ".join(words[:SCENARIO_WORDS]).rstrip(",;:")


@dataclass(frozen=True, slots=True)
class Near:
    """A caption by its index, and how alike its scenario is (Jaccard of METRICS' tokens)."""

    caption: int
    alike: float


def nearest_post(scenario: str, other: Profile) -> Near | None:
    """The other person's caption whose scenario, or text if it has none, is most alike; the first of equals, None if they have none."""
    wanted = set(tokens(scenario))
    found = [set(tokens(caption.scenario)) or set(tokens(caption.text)) for caption in other.captions]
    near = [Near(i, len(wanted & each) / len(wanted | each)) for i, each in enumerate(found) if each]
    return max(near, key=lambda each: each.alike, default=None)
