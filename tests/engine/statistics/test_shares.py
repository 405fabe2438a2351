"""Intervals of shares: what they cover, and that they say something where few cases or few clusters are won."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.statistics.crossing import Crossing
from engine.statistics.estimates import Estimates
from engine.statistics.shares import share_estimates


def of(cluster: NDArray[np.int64], won: NDArray[np.float64]) -> Estimates:
    return share_estimates(Crossing(cluster, np.zeros_like(cluster)), np.zeros(1, dtype=np.int64), won[:, None])


@pytest.mark.parametrize("clusters", [8, 20, 60])
@pytest.mark.parametrize("share", [0.04, 0.3, 0.9])
@pytest.mark.parametrize("alike", [0.05, 0.7])
def test_interval_covers_the_true_share_of_clustered_cases_about_as_often_as_it_says(clusters: int, share: float, alike: float) -> None:
    rng = np.random.Generator(np.random.PCG64(30))
    covered, rounds = 0, 400
    for _ in range(rounds):
        own = rng.beta(share * (1 - alike) / alike, (1 - share) * (1 - alike) / alike, size=clusters)
        cluster = np.repeat(np.arange(clusters), rng.integers(1, 9, size=clusters))
        found = of(cluster, (rng.random(len(cluster)) < own[cluster]).astype(np.float64))
        covered += bool(found.low[0] <= share <= found.high[0])
    assert covered / rounds >= 0.92
    if clusters == 60 and share == 0.3:
        assert covered / rounds <= 0.98


def test_wilsons_interval_is_met_when_every_cluster_is_one_case() -> None:
    # 30 of 100: Wilson (1927) with z = 1.96 gives [.2189, .3958]; Student's t with 99 degrees of freedom is 1.984.
    found = of(np.arange(100), np.repeat([1.0, 0.0], [30, 70]))
    assert found.low[0] == pytest.approx(0.2189, abs=0.003)
    assert found.high[0] == pytest.approx(0.3958, abs=0.003)
    assert found.low[0] < 0.2189
    assert found.high[0] > 0.3958


def test_cases_that_are_alike_within_a_person_count_as_one() -> None:
    won = np.repeat([1.0, 0.0], [12, 28])
    alone = of(np.arange(40), won)
    repeated = of(np.repeat(np.arange(40), 6), np.repeat(won, 6))
    assert repeated.low[0] == pytest.approx(alone.low[0], abs=1e-12)
    assert repeated.high[0] == pytest.approx(alone.high[0], abs=1e-12)


def test_a_share_of_none_or_all_cases_reaches_as_far_as_the_clusters_allow() -> None:
    none = of(np.repeat(np.arange(50), 20), np.zeros(1000))
    every = of(np.repeat(np.arange(50), 20), np.ones(1000))
    assert none.low[0] == 0.0
    assert 0.05 < none.high[0] < 0.08  # t^2 / (50 + t^2)
    assert every.high[0] == 1.0
    assert every.low[0] == pytest.approx(1 - none.high[0])


@pytest.mark.parametrize("clusters", [10, 20, 24])
def test_a_rare_win_among_few_clusters_has_a_modest_interval(clusters: int) -> None:
    cluster = np.repeat(np.arange(clusters), 4)
    won = np.zeros(len(cluster))
    won[:1] = 1.0
    found = of(cluster, won)
    assert 0.0 < found.low[0] < found.mean[0] < found.high[0] < 0.5


def test_no_share_has_an_interval_under_five_clusters_and_cases_without_a_winner_do_not_count() -> None:
    four = of(np.arange(8) % 4, np.array([1.0, 0, 0, 1, 0, 1, 0, 0]))
    assert np.isnan(four.low[0])
    five = of(np.arange(10) % 5, np.array([1.0, 0, 0, np.nan, 0, 1, 0, 0, np.nan, 1]))
    assert five.n[0] == 8
    assert five.clusters[0] == 4
    assert five.mean[0] == pytest.approx(3 / 8)
    none = np.zeros(0, dtype=np.int64)
    assert np.isnan(share_estimates(Crossing(none, none), np.zeros(1, dtype=np.int64), np.zeros((0, 1))).mean[0])
