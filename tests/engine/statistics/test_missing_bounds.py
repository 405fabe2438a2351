"""Worst-case bounds: they hold whatever the missing units would have scored."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.missing_bounds import worst_case_bounds


def test_missing_units_are_counted_as_the_least_and_as_the_most() -> None:
    low, high = worst_case_bounds(np.array([[0.5, 0.2], [np.nan, 0.4], [0.7, 0.6], [np.nan, 0.8]]), 0.0, 1.0)
    assert low.tolist() == pytest.approx([0.3, 0.5])
    assert high.tolist() == pytest.approx([0.8, 0.5])


def test_a_cosine_may_have_been_minus_one() -> None:
    low, high = worst_case_bounds(np.array([[0.6], [np.nan]]), -1.0, 1.0)
    assert (low[0], high[0]) == pytest.approx((-0.2, 0.8))


def test_the_mean_of_the_whole_is_inside_whichever_units_are_lost() -> None:
    rng = np.random.Generator(np.random.PCG64(61))
    whole = rng.random((200, 30))
    lost = np.where(rng.random(whole.shape) < whole * 0.4, np.nan, whole)  # high scores are lost more often
    low, high = worst_case_bounds(lost, 0.0, 1.0)
    assert (low <= whole.mean(axis=0)).all()
    assert (whole.mean(axis=0) <= high).all()
    assert (np.nanmean(lost, axis=0) < whole.mean(axis=0)).all()


def test_values_outside_the_metric_and_no_values_have_no_bounds() -> None:
    low, high = worst_case_bounds(np.array([[1.5, 1.0 + 1e-9], [0.5, np.nan]]), 0.0, 1.0)
    assert np.isnan([low[0], high[0]]).all()
    assert np.isfinite([low[1], high[1]]).all()
    assert np.isnan(worst_case_bounds(np.zeros((0, 2)), 0.0, 1.0)[0]).all()
