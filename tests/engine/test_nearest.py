"""Near names: what is meant is said; where nothing is near, what is known."""

import pytest

from engine.nearest import SHOWN, did_you_mean, nearest

METHODS = ["baseline", "persona", "brag", "vprag", "combined"]


@pytest.mark.parametrize(("given", "meant"), [("vprga", "vprag"), ("comb", "combined"), ("xyz", None), ("", None)])
def test_the_nearest_name_is_the_one_that_is_alike_enough(given, meant):
    assert nearest(given, METHODS) == meant


def test_how_like_it_must_be_can_be_raised():
    assert nearest("comb", METHODS, at_least=0.75) is None


def test_a_typo_is_told_what_was_meant():
    assert did_you_mean("vprga", iter(METHODS)) == " (did you mean 'vprag'?)"


def test_where_nothing_is_near_the_first_names_are_listed_and_the_rest_counted():
    known = [f"n{number}" for number in range(SHOWN + 1000)]
    assert did_you_mean("????", known) == f" (known are {', '.join(known[:SHOWN])} and 1,000 more)"
