"""Holm, Benjamini and Hochberg on small examples worked by hand, and on simulated nulls."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.multiple_testing import benjamini_hochberg, holm


def test_holm_steps_down_and_never_falls() -> None:
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


def test_benjamini_hochberg_steps_up_and_never_rises_towards_the_smallest() -> None:
    # p x 5 / rank: .05, .05, .05, .05125, .2
    found = benjamini_hochberg(np.array([0.01, 0.02, 0.03, 0.041, 0.2]))
    assert found.tolist() == pytest.approx([0.05, 0.05, 0.05, 0.05125, 0.2])
    assert benjamini_hochberg(np.array([0.04, 0.03])).tolist() == pytest.approx([0.04, 0.04])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_order_does_not_matter_and_tests_that_were_not_made_do_not_count(adjust: object) -> None:
    assert callable(adjust)
    p = np.array([0.2, np.nan, 0.001, 0.03])
    found, turned = adjust(p), adjust(p[::-1])
    assert np.array_equal(found, turned[::-1], equal_nan=True)
    assert np.isnan(found[1])
    assert np.array_equal(found[[0, 2, 3]], adjust(p[[0, 2, 3]]))
    assert adjust(np.zeros(0)).size == 0


def test_of_the_slices_called_different_few_are_not() -> None:
    rng = np.random.Generator(np.random.PCG64(60))
    false_share = []
    for _ in range(400):
        p = rng.random(40)
        p[:10] *= 1e-3  # ten slices that do differ
        called = benjamini_hochberg(p) <= 0.10
        false_share.append(called[10:].sum() / max(1, called.sum()))
    assert np.mean(false_share) <= 0.10
    assert np.mean(false_share) >= 0.04
