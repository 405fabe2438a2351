"""Matrices, tie, side and flip rates, and ranks: what they count, and their intervals by profile."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.ratings.matrices import matrices
from engine.ratings.ranks import ranks_from_differences, ranks_of
from engine.ratings.rates import judge_rates
from engine.ratings.swapped import swap_pairs
from engine.statistics.simultaneous import Family
from tests.engine.ratings.verdicts import drawn, told


def test_matrices_count_wins_and_ties_of_both_sides() -> None:
    found = matrices(told("3A>B 1A<B 2B>A 1B=A 1B>C"))
    assert found.wins.tolist() == [[0, 3, 0], [3, 0, 1], [0, 0, 0]]
    assert found.ties.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert found.battles.tolist() == [[0, 7, 0], [7, 0, 1], [0, 1, 0]]
    assert found.clusters[0].tolist() == [0, 7, 0]
    assert found.rate[0, 1] == pytest.approx(3.5 / 7)
    assert found.rate[2, 1] == 0
    assert np.isnan([found.rate[0, 0], found.rate[0, 2], found.low[1, 2]]).all()


def test_win_rates_of_the_two_sides_mirror_each_other_with_their_intervals() -> None:
    found = matrices(drawn(1, 40, 8, (0.6, 0.0, -0.6)))
    one, two = np.triu_indices(3, 1)
    assert found.rate[two, one] == pytest.approx(1 - found.rate[one, two])
    assert found.low[two, one] == pytest.approx(1 - found.high[one, two])
    assert (found.low[one, two] < found.rate[one, two]).all()
    assert found.rate[0, 2] > found.rate[0, 1] > 0.5


def test_intervals_are_those_of_people_not_of_rows() -> None:
    battles = told("A>B " * 200 + "A<B " * 200, people=np.repeat(np.arange(20), 20))  # each person always says the same
    rows = told("A>B " * 200 + "A<B " * 200)
    assert matrices(battles).high[0, 1] - 0.5 > 3 * (matrices(rows).high[0, 1] - 0.5)


def test_a_judge_that_always_says_first_is_seen() -> None:
    battles = drawn(2, 30, 4, (0.5, -0.5))
    battles.result[battles.judge == 1] = 0
    found = judge_rates(battles)
    assert found.always == (None, "first")
    assert found.first.mean[1] == 1.0
    assert found.flip.mean[1] == 1.0
    assert found.consistency.mean[1] == 0.0
    assert found.tie.mean[1] == 0.0
    assert found.first.low[1] > 0.8


def test_rates_match_the_model_that_drew_the_verdicts() -> None:
    found = judge_rates(drawn(3, 400, 20, (0.0, 0.0), position=(1.0, 0.0), nu=(1.0, 0.5)))
    up = np.exp(0.5)
    assert found.tie.mean[0] == pytest.approx(1 / (up + 1 / up + 1), abs=0.01)
    assert found.first.mean[0] == pytest.approx((up + 0.5) / (up + 1 / up + 1), abs=0.01)
    assert found.first.mean[1] == pytest.approx(0.5, abs=0.01)
    assert found.first.low[0] > 0.5
    assert found.flip.n.tolist() == [8000, 8000]


def test_a_judge_without_verdicts_has_no_rates() -> None:
    battles = drawn(4, 10, 4, (0.5, -0.5))
    found = judge_rates(battles.of_judge(0))
    assert np.isnan([found.tie.mean[1], found.first.mean[1], found.flip.mean[1]]).all()


def test_a_pair_of_which_one_order_has_no_verdict_is_left_out_of_swap_pairs() -> None:
    battles = drawn(5, 3, 2, (0.5, -0.5))
    assert len(swap_pairs(battles).judge) == 12
    assert len(swap_pairs(battles.of(np.arange(len(battles)) != 5)).judge) == 11


def test_an_index_that_does_not_name_two_orders_of_a_pair_is_refused() -> None:
    battles = drawn(6, 3, 2, (0.5, 0.0, -0.5))
    battles.pair[:] = 0
    with pytest.raises(ValueError, match="two orders of one pair"):
        swap_pairs(battles)


def test_ranks_share_the_best_place_among_equals() -> None:
    assert ranks_of(np.array([0.1, 0.7, 0.7, -1.0])).tolist() == [3, 1, 1, 4]


def test_rank_ranges_follow_from_who_is_surely_ahead() -> None:
    pairs = np.array(list(combinations(range(3), 2)))
    low, high = np.array([5.0, 9.0, -3.0]), np.array([20.0, 30.0, 12.0])
    found = ranks_from_differences(np.array([9.0, 1.0, 0.0]), pairs, Family(low, high, low, low))
    assert found.low.tolist() == [1, 2, 2]
    assert found.high.tolist() == [1, 3, 3]
    low[2] = np.nan
    found = ranks_from_differences(np.array([9.0, 1.0, 0.0]), pairs, Family(low, high, low, low))
    assert found.high[0] == 1
    assert np.isnan(found.high[1:]).all()
