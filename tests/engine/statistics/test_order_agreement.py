"""Kendall's tau-b: with ties, against another implementation, and with an interval over people."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.order_agreement import kendall_tau_b, order_agreement


def test_tau_b_equals_scipys_with_ties_and_without() -> None:
    rng = np.random.Generator(np.random.PCG64(70))
    first, second = rng.integers(0, 4, (40, 6)).astype(float), rng.integers(0, 4, (40, 6)).astype(float)
    expected = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(kendall_tau_b(first, second), expected, atol=1e-12)


def test_tau_b_is_undefined_where_all_tie_or_a_value_is_missing() -> None:
    rows = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    assert np.isnan(kendall_tau_b(rows, rows)).tolist() == [True, True, False]


def test_rounding_is_a_tie_and_no_order() -> None:
    assert kendall_tau_b(np.array([[0.5, 0.5 + 1e-13, 0.9]]), np.array([[0.2, 0.2, 0.4]]))[0] == 1.0


def test_orders_that_agree_in_every_resample_have_tau_one_and_opposed_ones_minus_one() -> None:
    rng = np.random.Generator(np.random.PCG64(71))
    first = rng.normal((0.1, 0.3, 0.5), 0.05, size=(60, 3))
    same = order_agreement(ClusterBootstrap(60, 1), np.arange(60), first, first * 2 + 1)
    opposed = order_agreement(ClusterBootstrap(60, 1), np.arange(60), first, -first)
    assert same is not None
    assert opposed is not None
    assert (same.tau, same.low, same.high, same.reversed_pairs) == (1.0, 1.0, 1.0, 0)
    assert (opposed.tau, opposed.low, opposed.high, opposed.reversed_pairs) == (-1.0, -1.0, -1.0, 3)


def test_an_order_that_is_a_matter_of_luck_has_a_wide_interval() -> None:
    rng = np.random.Generator(np.random.PCG64(72))
    found = order_agreement(ClusterBootstrap(80, 1), np.arange(80), rng.normal(size=(80, 4)), rng.normal(size=(80, 4)))
    assert found is not None
    assert found.low <= found.tau <= found.high
    assert found.high - found.low > 0.6


def test_incomplete_cases_are_left_out_and_too_little_gives_nothing() -> None:
    values = np.random.Generator(np.random.PCG64(73)).normal(size=(12, 2))
    values[0, 0] = np.nan
    found = order_agreement(ClusterBootstrap(4, 1), np.arange(12) % 4, values, values)
    assert found is not None
    assert (found.n, found.clusters, found.tau) == (11, 4, 1.0)
    assert np.isnan(found.low)
    assert order_agreement(ClusterBootstrap(4, 1), np.arange(12) % 4, values[:, :1], values[:, :1]) is None
    assert order_agreement(ClusterBootstrap(4, 1), np.arange(4), np.full((4, 2), np.nan), np.ones((4, 2))) is None
