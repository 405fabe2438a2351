"""Cohen's d and win shares."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.effect_sizes import effects_against_best, paired_d, pooled_d, win_shares

# METRICS, Cohen's d
A = np.array([0.60, 0.65, 0.70, 0.62, 0.68])
B = np.array([0.55, 0.61, 0.66, 0.58, 0.60])


def test_cohens_d_matches_the_golden_values() -> None:
    assert pooled_d(A, B) == pytest.approx(1.221694443563, abs=1e-12)
    assert paired_d(A, B) == pytest.approx(2.886751345948, abs=1e-12)


def test_cohens_d_is_undefined_without_spread_or_with_one_case() -> None:
    assert np.isnan(pooled_d(np.full(4, 0.5), np.full(4, 0.25)))
    assert np.isnan(paired_d(A, A))
    assert np.isnan(pooled_d(A[:1], B[:1]))


def test_the_best_has_no_d_and_the_others_are_measured_against_it() -> None:
    found = effects_against_best(ClusterBootstrap(5, seed=1), np.arange(5), np.stack([B, A], axis=1), np.array([True, True]))
    assert found is not None
    assert found.best == 1
    assert found.pooled[0] == pytest.approx(1.221694443563, abs=1e-12)
    assert found.paired[0] == pytest.approx(2.886751345948, abs=1e-12)
    assert np.isnan(found.pooled[1])
    assert np.isnan(found.pooled_low[1])


def test_resampled_d_agrees_with_d_computed_case_by_case() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    values = rng.normal((0.5, 0.6, 0.55), 0.1, size=(40, 3))
    bootstrap = ClusterBootstrap(40, seed=3, resamples=50)
    found = effects_against_best(bootstrap, np.arange(40), values, np.ones(3, dtype=np.bool_))
    assert found is not None
    draws = []
    for weights in bootstrap.totals(np.eye(40)).astype(int):
        again = np.repeat(values, weights, axis=0)
        best = int(np.argmax(again.mean(axis=0)))
        draws.append(0.0 if best == 0 else pooled_d(again[:, best], again[:, 0]))
    low, high = np.quantile(draws, (0.025, 0.975))
    assert found.pooled_low[0] == pytest.approx(low, abs=1e-9)
    assert found.pooled_high[0] == pytest.approx(high, abs=1e-9)


def test_when_the_best_is_a_matter_of_luck_the_interval_of_d_reaches_zero() -> None:
    rng = np.random.Generator(np.random.PCG64(6))
    values = rng.normal(0.5, 0.1, size=(60, 3))
    found = effects_against_best(ClusterBootstrap(60, seed=1), np.arange(60), values, np.ones(3, dtype=np.bool_))
    assert found is not None
    second = int(np.argsort(values.mean(axis=0))[1])
    assert found.pooled[second] > 0
    assert found.pooled_low[second] == 0.0


def test_a_method_that_may_not_be_best_is_compared_but_never_compared_with() -> None:
    values = np.stack([B, A, A + 1], axis=1)
    found = effects_against_best(ClusterBootstrap(5, seed=1), np.arange(5), values, np.array([True, True, False]))
    assert found is not None
    assert found.best == 1
    assert found.pooled[2] < 0


def test_effects_use_only_cases_in_which_every_method_has_a_value() -> None:
    values = np.stack([np.append(B, 9.0), np.append(A, np.nan)], axis=1)
    found = effects_against_best(ClusterBootstrap(6, seed=1), np.arange(6), values, np.array([True, True]))
    assert found is not None
    assert found.n == 5
    assert found.pooled[0] == pytest.approx(1.221694443563, abs=1e-12)
    assert effects_against_best(ClusterBootstrap(6, seed=1), np.arange(6), values[4:], np.array([True, True])) is None


def test_ties_split_a_win_and_incomplete_cases_have_no_winner() -> None:
    values = np.array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.4], [0.9, np.nan, 0.1], [0.5, 0.5 + 1e-12, 0.5 - 1e-12]])
    won = win_shares(values)
    assert won[0].tolist() == [0.5, 0.5, 0.0]
    assert won[1].tolist() == [0.0, 0.0, 1.0]
    assert np.isnan(won[2]).all()
    assert won[3] == pytest.approx([1 / 3] * 3)
