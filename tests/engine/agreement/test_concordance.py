"""Kendall's W: golden values, ties, and which cases count."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.concordance import concordance, kendall_w
from engine.statistics.cluster_bootstrap import ClusterBootstrap


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([(4, 3, 2, 1), (4, 2, 3, 1), (3, 4, 2, 1)], 7 / 9),
        ([(5, 3, 3, 1), (4, 4, 2, 1), (5, 4, 2, 2)], 73 / 81),
        ([(1, 2, 3), (1, 2, 3), (2, 2, 2)], 2 / 3),
    ],
)
def test_w_matches_the_golden_values(ratings: list[tuple[float, ...]], expected: float) -> None:
    # METRICS, agreement and effect
    assert kendall_w(np.array(ratings, dtype=float)) == pytest.approx(expected, abs=1e-12)


def test_w_is_undefined_where_all_tie() -> None:
    assert np.isnan(kendall_w(np.full((3, 4), 2.0)))


def test_w_equals_the_formula_with_its_sum_of_ties() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    for ratings in rng.integers(0, 4, size=(50, 5, 6)).astype(float):
        counts = [np.unique(row, return_counts=True)[1] for row in ratings]
        ties = sum(float((count**3 - count).sum()) for count in counts)
        ranks = sum(np.array([(row < value).sum() + ((row == value).sum() + 1) / 2 for value in row]) for row in ratings)
        squares = ((ranks - ranks.mean()) ** 2).sum()
        assert kendall_w(ratings) == pytest.approx(12 * squares / (25 * (6**3 - 6) - 5 * ties), abs=1e-12)


def test_cases_with_other_annotators_count_and_incomplete_ones_do_not() -> None:
    ratings = np.full((6, 4, 3), np.nan)
    ratings[0, [0, 1]] = [[1, 2, 3], [1, 2, 3]]  # W 1
    ratings[1, [2, 3]] = [[1, 2, 3], [3, 2, 1]]  # W 0
    ratings[2, 0] = [1, 2, 3]  # one annotator
    ratings[3, [0, 1]] = [[1, 2, 3], [1, 2, np.nan]]  # somebody stopped half-way
    ratings[4, [1, 2, 3]] = 4.0  # all tied
    found = concordance(ClusterBootstrap(6, 1), np.arange(6), ratings)
    assert (found.mean.value, found.mean.n, found.incomplete, found.tied) == (0.5, 2, 3, 1)
    assert found.deviation == pytest.approx(np.sqrt(0.5))
    assert np.isnan(found.mean.low)  # two people


def test_the_interval_of_mean_w_is_one_over_people() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    ratings = rng.normal(np.array([1.0, 2, 3]), 1, size=(120, 3, 3))
    alone = concordance(ClusterBootstrap(120, 1), np.arange(120), ratings)
    thrice = concordance(ClusterBootstrap(120, 1), np.repeat(np.arange(120), 3), np.repeat(ratings, 3, axis=0))
    assert alone.mean.low < alone.mean.value < alone.mean.high
    assert thrice.mean.low == pytest.approx(alone.mean.low, abs=1e-12)
    assert thrice.mean.n == 360
