"""Whose captions a method sees: halves that partition, drawn by the person's key alone, and shares that hold one another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine.errors import InputError
from engine.prompting.retrieval import distinct_elements
from engine.prompting.view import FEWEST_CAPTIONS, STRANGER, WHOLE, element_rows, half_of, in_share, restricted
from engine.records import Caption, Demographics, Element, Profile
from engine.stage import Unit

KEYS = [f"{number:064x}" for number in range(400)]
GOLDEN_A = [1, 3, 4]
LIGHT, KITE, TEA = Element("lighting", "low sun"), Element("objects", "a red kite"), Element("objects", "a tea tray")


def profile(*captions: Caption) -> Profile:
    elements = tuple(dict.fromkeys(element for caption in captions for element in caption.elements))
    return Profile("p", Demographics(), "given", "ref", elements, captions, "p", "test")


@pytest.mark.parametrize("captions", [4, 5, 12, 29, 30])
def test_the_halves_of_a_person_are_all_their_captions_each_once(captions: int) -> None:
    for key in KEYS[:40]:
        a, b = half_of(key, captions, "a"), half_of(key, captions, "b")
        assert sorted([*a, *b]) == list(range(captions))
        assert (a, b) == (sorted(a), sorted(b))
        assert len(a) - len(b) == captions % 2


def test_a_half_depends_on_the_person_alone_and_people_are_split_differently() -> None:
    assert half_of(KEYS[0], 8, "a") == half_of(KEYS[0], 8, "a")
    assert len({tuple(half_of(key, 30, "a")) for key in KEYS}) == len(KEYS)
    counts = np.bincount(np.concatenate([half_of(key, 30, "a") for key in KEYS]), minlength=30)
    # Binomial with sd 10: no caption, early or late, is favoured by either half.
    assert np.abs(counts - len(KEYS) / 2).max() < 45


def test_golden_halves() -> None:
    """A change of the draw would compare cross-fitted scores of different captions: raise SPLIT_RULE then."""
    assert half_of(KEYS[1], 6, "a") == GOLDEN_A
    assert half_of(KEYS[1], 6, "b") == [index for index in range(6) if index not in GOLDEN_A]


@pytest.mark.parametrize("captions", range(FEWEST_CAPTIONS))
def test_too_few_captions_are_refused_by_name(captions: int) -> None:
    with pytest.raises(InputError) as refused:
        half_of(KEYS[0], captions, "a")
    assert refused.value.code == "too-few-captions"
    assert "cross_fit: 0" in refused.value.remedy


def test_shares_hold_one_another_and_come_to_what_was_asked() -> None:
    people = {share: {key for key in KEYS if in_share(key, share)} for share in (0.0, 0.1, 0.25, 0.5, 1.0)}
    sizes = list(people.values())
    assert all(smaller < larger for smaller, larger in pairwise(sizes))
    assert (len(people[0.0]), len(people[1.0])) == (0, len(KEYS))
    assert len(people[0.25]) == pytest.approx(100, abs=35)  # four standard deviations


def test_membership_of_the_share_says_nothing_about_the_split() -> None:
    """One number for both would put the same captions of everyone in the share into half A."""
    first = [0 in half_of(key, 30, "a") for key in KEYS if in_share(key, 0.5)]
    assert 0.35 < np.mean(first) < 0.65


def test_a_view_takes_units_with_a_stranger_and_of_people_in_its_share() -> None:
    inside = next(key for key in KEYS if in_share(key, 0.25))
    outside = next(key for key in KEYS if not in_share(key, 0.25))
    alone, accompanied = Unit("u", inside), Unit("u", inside, strangers=("other",))
    assert WHOLE.takes(alone)
    assert not STRANGER.takes(alone)
    assert STRANGER.takes(accompanied)
    halves = WHOLE.halved(0.25)
    assert halves.takes(alone)
    assert not halves.takes(Unit("u", outside))
    assert not STRANGER.halved(0.25).takes(alone)
    assert (WHOLE.per, halves.per) == ("task", "half")
    assert STRANGER.subject(accompanied) == "other"
    assert WHOLE.subject(accompanied) == inside


def test_the_two_halves_show_everything_once_and_a_strangers_halves_are_the_strangers_own() -> None:
    person = profile(*(Caption(f"caption {index}", "", (LIGHT, KITE)[index % 2 : index % 2 + 1]) for index in range(9)))
    view = STRANGER.halved(1)
    unit = Unit("u", KEYS[0], strangers=(KEYS[1],))
    shown = {half: view.shown(unit.of_half(half), person) for half in ("a", "b")}
    assert [caption.text for caption in shown["a"].captions] == [f"caption {index}" for index in half_of(KEYS[1], 9, "a")]
    assert sorted(caption for half in shown.values() for caption in (each.text for each in half.captions)) == [
        f"caption {index}" for index in range(9)
    ]
    assert WHOLE.shown(unit, person) is person


def test_a_restricted_profile_keeps_only_elements_that_its_captions_use() -> None:
    person = profile(Caption("one", "", (LIGHT, KITE)), Caption("two", "", (KITE,)), Caption("three", "", (TEA, LIGHT)))
    person = replace(person, elements=(*person.elements, Element("objects", "an unused oar")))
    shown = restricted(person, [1, 2])
    assert [caption.text for caption in shown.captions] == ["two", "three"]
    assert shown.elements == (KITE, TEA, LIGHT)


def test_element_rows_find_the_vectors_of_what_is_shown() -> None:
    person = profile(Caption("one", "", (LIGHT, KITE)), Caption("two", "", (KITE,)), Caption("three", "", (TEA, LIGHT)))
    every = distinct_elements(person)
    shown = restricted(person, [2])
    assert [every[row] for row in element_rows(person, shown)] == list(distinct_elements(shown)) != list(every)


def test_recipes_tell_views_apart() -> None:
    views = [WHOLE, STRANGER, WHOLE.halved(0.25), WHOLE.halved(0.5), STRANGER.halved(0.25)]
    assert len({repr(view.recipe()) for view in views}) == len(views)
    assert len({view.suffix for view in views}) == 4, "the share is no part of a name, only of the recipe"
