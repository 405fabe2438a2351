"""Calibration with simulated judges of known quality."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.calibration import Calibration, Thresholds, calibrate, isotonic_map
from engine.agreement.ranks import spearman
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats

PEOPLE, EACH = 80, 8
CLUSTER = np.repeat(np.arange(PEOPLE), EACH)


def truths(seed: int = 1) -> Floats:
    """Quality on 0-5, alike within a person."""
    rng = np.random.Generator(np.random.PCG64(seed))
    return np.clip(2.5 + np.repeat(rng.normal(0, 0.7, PEOPLE), EACH) + rng.normal(0, 1.2, len(CLUSTER)), 0, 5)


def judged(error: float, seed: int = 2) -> Floats:
    """Whole grades of a judge that squeezes the scale into its upper half, with an `error` of its own."""
    noise = np.random.Generator(np.random.PCG64(seed)).normal(0, error, len(CLUSTER))
    return np.round(np.clip(5 * np.sqrt(np.clip(truths() + noise, 0, 5) / 5), 0, 5))


def calibration(scores: Floats, ratings: Floats | None = None, thresholds: Thresholds | None = None) -> Calibration:
    humans = truths() if ratings is None else ratings
    return calibrate(ClusterBootstrap(PEOPLE, 3), CLUSTER, scores, humans, thresholds or Thresholds(), seed=4)


def test_a_good_judge_on_a_scale_of_its_own_is_calibrated_and_its_map_brings_it_onto_the_humans_scale() -> None:
    scores = judged(0.3)
    found = calibration(scores)
    assert (found.calibrated, found.reason) == (True, "")
    assert found.spearman.low > 0.5
    assert found.mae.value < 0.5 < np.abs(scores - truths()).mean()
    assert found.map is not None
    assert np.abs(found.map(scores) - truths()).mean() < found.mae.high


def test_a_judge_that_guesses_is_not_calibrated_however_its_scores_are_mapped() -> None:
    found = calibration(np.random.Generator(np.random.PCG64(5)).integers(0, 6, len(CLUSTER)).astype(float))
    assert not found.calibrated
    assert "Spearman" in found.reason
    assert abs(found.mae.value - found.constant_mae.value) < 0.05


def test_a_judge_that_is_right_the_wrong_way_round_is_not_calibrated() -> None:
    found = calibration(5 - judged(0.3))
    assert not found.calibrated
    assert found.spearman.value < 0.2


def test_a_judge_with_one_answer_gives_no_order() -> None:
    found = calibration(np.full(len(CLUSTER), 4.0))
    assert not found.calibrated


def test_a_judge_in_the_right_order_but_far_off_is_refused_by_its_error() -> None:
    found = calibration(judged(0.9), thresholds=Thresholds(mae=0.3, spearman=0.3))
    assert not found.calibrated
    assert "mean absolute error" in found.reason


def test_worse_judges_have_larger_errors_and_lower_correlations() -> None:
    found = [calibration(judged(error)) for error in (0.2, 0.8, 2.5)]
    assert found[0].mae.value < found[1].mae.value < found[2].mae.value
    assert found[0].spearman.low > found[1].spearman.low > found[2].spearman.low
    assert [one.calibrated for one in found] == [True, True, False]


def test_no_person_is_predicted_by_a_map_that_saw_them() -> None:
    # Each person has a rating of their own that only their own scores tell: a map that had seen them would know it.
    rng = np.random.Generator(np.random.PCG64(6))
    scores, ratings = np.arange(PEOPLE, dtype=float).repeat(EACH), rng.permutation(np.linspace(0, 5, PEOPLE)).repeat(EACH)
    assert calibration(scores, ratings).mae.value > 1.0


def test_units_without_a_rating_are_left_out_and_few_people_are_not_enough() -> None:
    ratings = truths()
    ratings[CLUSTER >= 9] = np.nan
    found = calibration(judged(0.3), ratings)
    assert not found.calibrated
    assert "9 rated people" in found.reason
    assert found.map is None
    ratings[CLUSTER == 9] = 2.0
    assert calibration(judged(0.3), ratings).mae.n == 10 * EACH


def test_the_map_never_falls_and_keeps_to_its_ends() -> None:
    found = isotonic_map(np.array([1.0, 1, 2, 3, 4]), np.array([2.0, 0, 3, 2, 5]))
    assert found.scores == (1, 2, 3, 4)
    assert found.ratings == (1, 2.5, 2.5, 5)
    assert found(np.array([0.0, 1.5, 9.0])).tolist() == [1.0, 1.75, 5.0]
    assert float(spearman(found(judged(0.3)), judged(0.3))) == pytest.approx(1.0, abs=0.2)
