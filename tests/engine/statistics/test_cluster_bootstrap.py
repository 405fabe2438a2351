"""The cluster bootstrap: what it covers, what it withholds, and what it ignores."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import percentile_interval


def clustered(rng: np.random.Generator, clusters: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Skewed clusters of 1 to 6 cases around a mean of exactly 1: (cluster of each case, one column of values)."""
    sizes = rng.integers(1, 7, size=clusters)
    cluster = np.repeat(np.arange(clusters), sizes)
    own = rng.gamma(4.0, 0.25, size=clusters)
    return cluster, (own[cluster] + rng.normal(0, 0.3, size=len(cluster)))[:, None]


@pytest.mark.parametrize("clusters", [12, 50])
def test_interval_covers_the_true_mean_of_clustered_data_about_as_often_as_it_says(clusters: int) -> None:
    rng = np.random.Generator(np.random.PCG64(20))
    covered = 0
    for dataset in range(200):
        cluster, values = clustered(rng, clusters)
        found = ClusterBootstrap(clusters, seed=dataset, resamples=500).mean(cluster, values)
        covered += bool(found.low[0] <= 1.0 <= found.high[0])
    assert 0.90 <= covered / 200 <= 0.98


def test_treating_rows_as_independent_would_cover_far_too_little() -> None:
    rng = np.random.Generator(np.random.PCG64(21))
    covered = 0
    for dataset in range(40):
        cluster, values = clustered(rng, 50)
        values = np.repeat(values, 4, axis=0)  # each row four times says nothing new
        alone = ClusterBootstrap(len(values), seed=dataset, resamples=400).mean(np.arange(len(values)), values)
        whole = ClusterBootstrap(50, seed=dataset, resamples=400).mean(np.repeat(cluster, 4), values)
        assert whole.high[0] - whole.low[0] > 1.5 * (alone.high[0] - alone.low[0])
        covered += bool(alone.low[0] <= 1.0 <= alone.high[0])
    assert covered < 32


def test_missing_values_are_left_out_and_counted() -> None:
    values = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan], [5.0, np.nan]])
    found = ClusterBootstrap(3, seed=1).mean(np.array([0, 0, 1, 2]), values)
    assert found.mean[0] == 3.0
    assert list(found.n) == [3, 0]
    assert list(found.clusters) == [2, 0]
    assert np.isnan(found.mean[1])


def test_no_interval_is_given_under_five_clusters() -> None:
    values = np.arange(8.0)[:, None]
    four = ClusterBootstrap(4, seed=1).mean(np.arange(8) % 4, values)
    five = ClusterBootstrap(5, seed=1).mean(np.arange(8) % 5, values)
    assert np.isnan(four.low[0])
    assert np.isnan(four.high[0])
    assert five.low[0] < five.mean[0] < five.high[0]


def test_bootstrap_t_is_wider_than_the_percentile_interval_when_clusters_are_few() -> None:
    rng = np.random.Generator(np.random.PCG64(3))
    values = rng.gamma(4.0, 0.25, size=(8, 1))
    bootstrap = ClusterBootstrap(8, seed=2)
    found = bootstrap.mean(np.arange(8), values)
    low, high = percentile_interval(bootstrap.totals(values) / 8)
    assert found.high[0] - found.low[0] > high[0] - low[0]


@pytest.mark.parametrize("clusters", [10, 40])
def test_a_constant_has_an_interval_without_width(clusters: int) -> None:
    found = ClusterBootstrap(clusters, seed=1).mean(np.arange(clusters), np.full((clusters, 1), 0.3))
    assert found.low[0] == pytest.approx(0.3, abs=1e-12)
    assert found.high[0] == pytest.approx(0.3, abs=1e-12)


def test_an_event_in_a_single_cluster_gets_no_interval_rather_than_a_wild_one() -> None:
    values = np.zeros((20, 1))
    values[3] = 1.0
    found = ClusterBootstrap(20, seed=1).mean(np.arange(20), values)
    assert found.mean[0] == 0.05
    assert np.isnan(found.low[0])


def test_every_column_sees_the_same_resamples_so_that_differences_are_paired() -> None:
    rng = np.random.Generator(np.random.PCG64(4))
    base = rng.normal(0, 5, size=60)
    values = np.stack([base, base + 0.1], axis=1)
    bootstrap = ClusterBootstrap(60, seed=9)
    apart = bootstrap.mean(np.arange(60), values)
    paired = bootstrap.mean(np.arange(60), values[:, [1]] - values[:, [0]])
    assert apart.high[0] - apart.low[0] > 1.0
    assert paired.low[0] == pytest.approx(0.1, abs=1e-9)
    assert paired.high[0] == pytest.approx(0.1, abs=1e-9)


def test_equal_seeds_give_equal_intervals_and_other_seeds_other_ones() -> None:
    values = np.random.Generator(np.random.PCG64(5)).normal(size=(40, 1))
    one, same, other = (ClusterBootstrap(40, seed).mean(np.arange(40), values) for seed in (1, 1, 2))
    assert one.low[0] == same.low[0]
    assert one.low[0] != other.low[0]


def test_totals_are_those_of_the_whole_product_whatever_the_number_of_columns() -> None:
    sums = np.random.Generator(np.random.PCG64(8)).normal(size=(300, 40))
    bootstrap = ClusterBootstrap(300, seed=1, resamples=70)
    weights = bootstrap.totals(np.eye(300))
    assert weights.sum(axis=1).tolist() == [300.0] * 70
    np.testing.assert_allclose(bootstrap.totals(sums), weights @ sums, atol=1e-9)
    np.testing.assert_allclose(bootstrap.totals(sums[:, :1]), weights @ sums[:, :1], atol=1e-9)


def test_columns_with_values_in_other_cases_keep_their_own_counts() -> None:
    rng = np.random.Generator(np.random.PCG64(9))
    values = rng.normal(size=(80, 3))
    values[:40, 1] = np.nan
    bootstrap = ClusterBootstrap(80, seed=2)
    together = bootstrap.mean(np.arange(80), values)
    for column in range(3):
        alone = bootstrap.mean(np.arange(80), values[:, [column]])
        assert together.low[column] == pytest.approx(alone.low[0], abs=1e-12)
        assert together.high[column] == pytest.approx(alone.high[0], abs=1e-12)


def test_nothing_to_resample_gives_no_figure() -> None:
    found = ClusterBootstrap(0, seed=1).mean(np.zeros(0, dtype=np.int64), np.zeros((0, 2)))
    assert np.isnan(found.mean).all()
    assert list(found.n) == [0, 0]
