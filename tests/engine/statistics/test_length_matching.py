"""Scores at equal length: a lead that is only length goes, one that is not stays, and no common length gives no figure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.statistics.crossing import Crossing
from engine.statistics.length_matching import Matched, matched_differences
from engine.statistics.two_way import TwoWayBootstrap

PEOPLE, TASKS, FAMILIES = 120, 4, 15


def compared(seed: int, lead: float, per_word: float = 0.004, means: tuple[float, float] = (60.0, 45.0)) -> tuple[Matched, float]:
    """Two methods whose scores rise with length, the one `lead` better at equal length: the matched figure and the plain difference."""
    rng = np.random.Generator(np.random.PCG64(seed))
    person, task = np.repeat(np.arange(PEOPLE), TASKS), np.tile(np.arange(TASKS), PEOPLE)
    family = rng.integers(0, FAMILIES, len(person)) + FAMILIES * task
    words = np.maximum(5, rng.normal(means, 12.0, (len(person), 2)).round())
    own = rng.normal(0, 0.05, PEOPLE)[person] + rng.normal(0, 0.02, FAMILIES * TASKS)[family]
    scores = 0.3 + own[:, None] + per_word * words + np.array([lead, 0.0]) + rng.normal(0, 0.05, words.shape)
    bootstrap = TwoWayBootstrap(PEOPLE, np.repeat(np.arange(TASKS), FAMILIES), seed, resamples=300)
    (found,) = matched_differences(bootstrap, Crossing(person, family), task, scores, words, [(0, 1)])
    return found, float((scores[:, 0] - scores[:, 1]).mean())


def test_a_lead_that_is_only_length_disappears_at_equal_length() -> None:
    found = [compared(seed, lead=0.0) for seed in range(40)]
    assert all(plain > 0.03 for _, plain in found)
    assert np.mean([matched.difference for matched, _ in found]) == pytest.approx(0.0, abs=0.003)
    assert np.mean([matched.low <= 0 <= matched.high for matched, _ in found]) >= 0.85


def test_a_lead_that_is_not_length_is_found_with_an_interval_that_covers_it() -> None:
    found = [compared(seed, lead=0.03)[0] for seed in range(40)]
    assert np.mean([matched.difference for matched in found]) == pytest.approx(0.03, abs=0.003)
    assert np.mean([matched.low <= 0.03 <= matched.high for matched in found]) >= 0.85
    assert np.mean([matched.low > 0 for matched in found]) >= 0.9


def test_the_worse_method_that_writes_more_is_behind_at_equal_length() -> None:
    matched, plain = compared(3, lead=-0.03)
    assert plain > 0
    assert matched.high < 0


def test_methods_without_a_length_in_common_have_no_figure_and_the_overlap_says_so() -> None:
    matched, _ = compared(1, lead=0.0, means=(140.0, 9.0))
    assert np.isnan([matched.difference, matched.low, matched.high]).all()
    assert (matched.n_one, matched.share_two) == (0, 0.0)


def test_only_common_lengths_count_and_the_overlap_is_told() -> None:
    half, _ = compared(2, lead=0.0, means=(75.0, 45.0))
    whole, _ = compared(2, lead=0.0, means=(45.0, 45.0))
    assert whole.share_one > 0.9
    assert 0.3 < half.share_one < whole.share_one
    assert half.high - half.low > whole.high - whole.low


def test_cases_without_a_score_or_a_length_are_left_out() -> None:
    rng = np.random.Generator(np.random.PCG64(9))
    scores, words = rng.random((200, 2)), rng.integers(20, 25, (200, 2)).astype(np.float64)
    scores[:150, 0] = np.nan
    words[150:160, 1] = np.nan
    person: NDArray[np.int64] = np.arange(200)
    bootstrap = TwoWayBootstrap(200, np.zeros(20, dtype=np.int64), 1, resamples=200)
    (found,) = matched_differences(bootstrap, Crossing(person, person % 20), person * 0, scores, words, [(0, 1)])
    assert (found.n_one, found.n_two) == (40, 40)
    assert found.difference == pytest.approx(float((scores[160:, 0] - scores[160:, 1]).mean()), abs=0.02)
