"""Cohen's kappa, plain and weighted."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.kappa import Weights, cohen_kappa
from engine.statistics.cluster_bootstrap import ClusterBootstrap


def kappa(first: list[float], second: list[float], weights: Weights = Weights.PLAIN) -> float:
    return cohen_kappa(ClusterBootstrap(len(first), 1), np.arange(len(first)), np.array(first), np.array(second), weights).value


def test_kappa_of_a_table_is_what_its_definition_gives() -> None:
    # Both yes 20, both no 15, 5 and 10 apart: observed .7, expected .5 x .6 + .5 x .4 = .5.
    assert kappa([1] * 20 + [1] * 5 + [0] * 10 + [0] * 15, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15) == pytest.approx(0.4, abs=1e-12)


def test_quadratic_kappa_is_lins_concordance() -> None:
    # 1 - mean squared difference over (both variances + the squared difference of means): Fleiss and Cohen (1973).
    rng = np.random.Generator(np.random.PCG64(1))
    first = rng.integers(0, 6, 200).astype(float)
    second = np.clip(first + rng.integers(-1, 3, 200), 0, 5)
    expected = 1 - np.mean((first - second) ** 2) / (first.var() + second.var() + (first.mean() - second.mean()) ** 2)
    assert kappa(first.tolist(), second.tolist(), Weights.QUADRATIC) == pytest.approx(expected, abs=1e-12)
    assert kappa(first.tolist(), second.tolist()) < expected


def test_kappa_is_one_in_full_agreement_and_undefined_with_one_answer_only() -> None:
    assert kappa([0, 1, 2, 1], [0, 1, 2, 1]) == 1.0
    assert np.isnan(kappa([2, 2, 2], [2, 2, 2]))


def test_units_that_one_judge_did_not_answer_are_left_out() -> None:
    found = cohen_kappa(
        ClusterBootstrap(6, 1), np.arange(6), np.array([0.0, 1, 1, 0, np.nan, 1]), np.array([0.0, 1, np.nan, 1, 0, 1]), Weights.PLAIN
    )
    assert found.n == 4
    assert np.isnan(found.low)
    none = cohen_kappa(ClusterBootstrap(1, 1), np.zeros(1, dtype=np.int64), np.full(1, np.nan), np.ones(1), Weights.PLAIN)
    assert (none.n, np.isnan(none.value)) == (0, True)


def test_judges_who_guess_have_an_interval_around_zero_and_wider_where_people_repeat() -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    first, second = rng.integers(0, 3, 60).astype(float), rng.integers(0, 3, 60).astype(float)
    found = cohen_kappa(ClusterBootstrap(60, 1), np.arange(60), first, second, Weights.PLAIN)
    assert found.low < 0 < found.high
    again = cohen_kappa(ClusterBootstrap(60, 1), np.repeat(np.arange(60), 4), np.repeat(first, 4), np.repeat(second, 4), Weights.PLAIN)
    assert again.low == pytest.approx(found.low, abs=1e-12)


def test_scores_on_a_continuous_scale_are_refused() -> None:
    scores = np.linspace(0, 1, 40)
    with pytest.raises(ValueError, match="at most 25 distinct answers"):
        kappa(scores.tolist(), scores.tolist())
