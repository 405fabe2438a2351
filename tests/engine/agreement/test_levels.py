"""Spearman's correlation: golden values, the three levels, and intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from engine.agreement.levels import spearman_levels
from engine.agreement.ranks import midranks, resampled_spearman, spearman
from engine.statistics.cluster_bootstrap import ClusterBootstrap


def test_spearman_matches_the_golden_values() -> None:
    # METRICS, agreement and effect
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 3, 1])) == pytest.approx(-0.316227766017, abs=1e-12)
    assert np.isnan(spearman(np.array([1.0, 2, 3, 4]), np.full(4, 2.0)))


def test_means_of_the_same_ratings_tie_whatever_the_order_of_their_sum() -> None:
    assert midranks(np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.7])).tolist() == [1.5, 1.5, 3.0]


def test_a_missing_value_leaves_no_rank_of_its_row_and_touches_no_other() -> None:
    ranks = midranks(np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 2.0]]))
    assert np.isnan(ranks[0]).all()
    assert ranks[1].tolist() == [3.0, 1.0, 2.0]


def test_each_resample_is_the_correlation_of_its_repeated_cases() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    cluster = rng.integers(0, 9, 40)
    first, second = rng.integers(0, 6, 40).astype(float), rng.normal(size=40)
    bootstrap = ClusterBootstrap(9, seed=2, resamples=30)
    found = resampled_spearman(bootstrap, cluster, first, second)
    for weights, value in zip(bootstrap.weights, found, strict=True):
        again = np.repeat(np.arange(40), weights[cluster])
        assert value == pytest.approx(spearmanr(first[again], second[again]).statistic, abs=1e-12)


def test_the_three_levels_answer_different_questions() -> None:
    # Hard and easy cases alone agree: nothing is told apart within a case, and the systems stand in opposite orders.
    rng = np.random.Generator(np.random.PCG64(3))
    difficulty = rng.normal(0, 5, size=(60, 1))
    first, second = difficulty + np.array([0.1, 0.2, 0.3]), difficulty + np.array([0.3, 0.2, 0.1])
    found = spearman_levels(ClusterBootstrap(60, 1), np.arange(60), first, second)
    assert found.case.value > 0.9
    assert found.case.low > 0.8
    assert (found.within.value, found.within.n) == (-1.0, 60)
    assert (found.system.value, found.system.high, found.system.n) == (-1.0, -1.0, 60)


def test_constant_and_incomplete_cases_are_counted_and_not_guessed() -> None:
    first = np.array([[1.0, 2, 3], [2, 2, 2], [1, np.nan, 3], [3, 2, 1]])
    second = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3], [3, 2, 1]])
    found = spearman_levels(ClusterBootstrap(4, 1), np.arange(4), first, second)
    assert found.constant == 1
    assert (found.within.n, found.within.value) == (2, 1.0)
    assert found.system.n == 3
    assert (found.case.n, found.case.clusters) == (11, 4)
    assert np.isnan(found.case.low)  # four people


def test_one_system_or_no_data_gives_nothing() -> None:
    one = spearman_levels(ClusterBootstrap(8, 1), np.arange(8), np.arange(8.0)[:, None], np.arange(8.0)[:, None])
    assert one.case.value == 1.0
    assert np.isnan(one.system.value)
    none = spearman_levels(ClusterBootstrap(8, 1), np.arange(8), np.full((8, 2), np.nan), np.ones((8, 2)))
    assert np.isnan(none.case.value)
    assert none.within.n == 0


@pytest.mark.parametrize("people", [10, 60])
def test_intervals_cover_the_truth_though_a_persons_cases_are_alike(people: int) -> None:
    rng = np.random.Generator(np.random.PCG64(4))

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        quality, one, two = rng.normal(0, 1, size=(3, count, 1, 1))
        shared = quality + rng.normal(0, 0.5, size=(count, 4, 2))
        return (shared + one).reshape(-1, 2), (shared + two).reshape(-1, 2)

    truth = float(spearman(*(scores.ravel() for scores in draw(40_000))))
    cluster = np.repeat(np.arange(people), 4)
    bootstrap = ClusterBootstrap(people, seed=5, resamples=400)
    covered, plain, rounds = 0, 0, 300
    for _ in range(rounds):
        case = spearman_levels(bootstrap, cluster, *draw(people)).case
        covered += case.low <= truth <= case.high
        half = 1.96 * np.sqrt((1 + case.value**2 / 2) / (case.n - 3))  # Bonett and Wright (2000), as if cases were independent
        plain += abs(np.arctanh(case.value) - np.arctanh(truth)) <= half
    assert 0.91 <= covered / rounds <= 0.98
    assert plain / rounds < 0.75
