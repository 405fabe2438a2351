"""A judge against the majority of humans."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.accuracy import DECIDED, HALF, STRICT, accuracy
from engine.agreement.preferences import preferences
from engine.ratings.battles import FIRST, SECOND, TIE, Battles


def battles(rows: list[tuple[int, int, int, int, int]], judges: tuple[str, ...], people: int, entrants: int = 2) -> Battles:
    """Rows of (person, judge, first, second, result)."""
    columns = np.array(rows, dtype=np.int64).T
    person, judge, first, second, result = columns
    names = tuple(f"method-{index}" for index in range(entrants))
    return Battles(names, judges, tuple(f"p{i}" for i in range(people)), person, judge, first, second, result, np.full(len(rows), -1))


def test_votes_are_gathered_by_item_whichever_entrant_was_shown_first() -> None:
    given = preferences(battles([(0, 0, 0, 1, FIRST), (0, 0, 1, 0, SECOND), (0, 1, 1, 0, FIRST), (1, 0, 1, 0, TIE)], ("judge", "human"), 2))
    assert given.votes[0].tolist() == [[2, 0, 0], [0, 1, 0]]
    assert given.votes[1].tolist() == [[0, 0, 1], [0, 0, 0]]
    assert given.cluster.tolist() == [0, 1]
    assert given.majority([0]).tolist() == [1.0, 0.0]
    assert np.isnan(given.verdict(1)[1])


def test_samples_of_one_person_are_items_of_their_own() -> None:
    rows = battles([(0, 0, 0, 1, FIRST), (0, 0, 0, 1, SECOND)], ("judge",), 1)
    assert len(preferences(rows).cluster) == 1
    assert preferences(rows, np.array([7, 9])).verdict(0).tolist() == [1.0, -1.0]


def test_a_judge_that_contradicts_itself_has_answered_a_tie() -> None:
    given = preferences(battles([(0, 0, 0, 1, FIRST), (0, 0, 1, 0, FIRST)], ("always first",), 1))
    assert given.verdict(0).tolist() == [0.0]
    assert np.isnan(given.majority([0])[0])


def test_each_rule_counts_ties_as_it_says() -> None:
    # Five items; the judge: right, wrong, tie against a preference, tie with a tie, preference against a tie. Three humans each.
    judged = [FIRST, SECOND, TIE, TIE, FIRST]
    majority = [FIRST, FIRST, FIRST, TIE, TIE]
    rows = [(person, 0, 0, 1, result) for person, result in enumerate(judged)]
    rows += [(person, human, 0, 1, result) for person, result in enumerate(majority) for human in (1, 2, 3)]
    found = accuracy(preferences(battles(rows, ("judge", "a", "b", "c"), 5)), 0, [1, 2, 3])
    assert (found.by_rule[DECIDED].value, found.by_rule[DECIDED].n) == (0.5, 2)
    assert found.by_rule[HALF].value == pytest.approx((1 + 0 + 0.5 + 1 + 0.5) / 5)
    assert found.by_rule[STRICT].value == pytest.approx(2 / 5)
    assert (found.items, found.undecided, found.judge_ties, found.human_ties) == (5, 0, 2, 2)


def test_items_without_a_human_majority_are_counted_and_left_out() -> None:
    rows = [(0, 0, 0, 1, FIRST), (0, 1, 0, 1, FIRST), (0, 2, 0, 1, SECOND), (1, 0, 0, 1, FIRST), (1, 1, 0, 1, FIRST), (2, 0, 0, 1, FIRST)]
    found = accuracy(preferences(battles(rows, ("judge", "a", "b"), 3)), 0, [1, 2])
    assert (found.items, found.undecided, found.by_rule[STRICT].n, found.by_rule[STRICT].value) == (2, 1, 1, 1.0)


def test_a_judge_of_known_accuracy_is_recovered_with_an_interval_over_people() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    people, pairs = 80, [(0, 1), (0, 2), (1, 2)]
    rows = []
    for person in range(people):
        right = 0.8 + 0.15 * rng.standard_normal() * 0.5
        for one, other in pairs:
            truth = int(rng.integers(2))
            for human in (1, 2, 3):
                rows.append((person, human, one, other, SECOND if truth else FIRST))
            said = truth if rng.random() < right else 1 - truth
            first, second = (one, other) if rng.random() < 0.5 else (other, one)
            rows.append((person, 0, first, second, FIRST if (other if said else one) == first else SECOND))
    found = accuracy(preferences(battles(rows, ("judge", "a", "b", "c"), people, 3)), 0, [1, 2, 3]).by_rule[DECIDED]
    assert found.low < 0.8 < found.high
    assert (found.n, found.clusters) == (240, 80)
    assert found.high - found.low < 0.15


def test_a_judge_is_not_measured_against_itself() -> None:
    with pytest.raises(ValueError, match="itself"):
        accuracy(preferences(battles([(0, 0, 0, 1, FIRST)], ("judge",), 1)), 0, [0])
