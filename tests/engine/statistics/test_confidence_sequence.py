"""The confidence sequence: METRICS' golden values, and that looking again and again does not reject what is true."""

from __future__ import annotations

import numpy as np
import pytest

from engine.statistics.confidence_sequence import half_width


@pytest.mark.parametrize(("profiles", "expected"), [(50, 0.272593527), (100, 0.168194386), (500, 0.067869336)])
def test_half_width_matches_the_golden_values(profiles: int, expected: float) -> None:
    # METRICS, agreement and effect: a = .05, t* = 500, s = .5
    assert half_width(0.5, profiles) == pytest.approx(expected, abs=1e-9)


def test_peeking_seldom_rejects_the_truth_where_a_fixed_interval_often_does() -> None:
    rng = np.random.Generator(np.random.PCG64(62))
    values = rng.normal(0.5, 0.1, size=(150, 1000))
    n = np.arange(1, 1001)
    mean = values.cumsum(axis=1) / n
    deviation = np.sqrt(np.maximum((values**2).cumsum(axis=1) / n - mean**2, 0.0))
    looked_at = slice(49, 1000)
    width = np.array([half_width(1.0, int(t)) for t in n[looked_at]])
    off = np.abs(mean - 0.5)[:, looked_at]
    ever = (off > width * deviation[:, looked_at]).any(axis=1).mean()
    fixed = (off > 1.96 * deviation[:, looked_at] / np.sqrt(n[looked_at])).any(axis=1).mean()
    assert ever <= 0.06
    assert fixed >= 0.2


@pytest.mark.parametrize(("profiles", "alpha"), [(0, 0.05), (10, 0.0), (10, 1.0)])
def test_without_a_profile_or_a_level_there_is_no_sequence(profiles: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="no confidence sequence"):
        half_width(1.0, profiles, alpha)
