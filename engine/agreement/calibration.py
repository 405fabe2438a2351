"""A judge's scores put on the humans' scale, and whether that can be relied on (VPTT, judging and agreement).

An isotonic map of scores to human ratings is fitted on half of the people and tried on the other half, then the other way round. The map
that is handed on is fitted on all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from engine.agreement.figure import Figure, nothing, of_draws, of_estimates
from engine.agreement.ranks import resampled_spearman, spearman
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import FEWEST_CLUSTERS, Floats, Integers


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a calibrated judge must reach (*ours*): at most `mae` on the scale of 0-5, at least `spearman` as the lower bound of 95 %."""

    mae: float = 0.75
    spearman: float = 0.5


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """Human ratings that go with a judge's scores: linear between the knots, constant beyond them. Both tuples never fall."""

    scores: tuple[float, ...]
    ratings: tuple[float, ...]

    def __call__(self, scores: Floats) -> Floats:
        """The mapped `scores`, of any shape; NaN stays NaN."""
        return np.asarray(np.interp(scores, self.scores, self.ratings))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether a judge is calibrated, and if not, why (`reason`, "" if it is).

    `mae` is the mean absolute error of maps on people whom they were not fitted on, `constant_mae` that of the other half's mean rating,
    which no judge should fail to beat; `spearman` the rank correlation of the mapped scores with the ratings. Each `n` counts rated units.
    """

    calibrated: bool
    mae: Figure
    constant_mae: Figure
    spearman: Figure
    reason: str
    map: IsotonicMap | None


def calibrate(
    bootstrap: ClusterBootstrap, cluster: Integers, scores: Floats, ratings: Floats, thresholds: Thresholds, *, seed: int
) -> Calibration:
    """Calibrate a judge's `scores` on humans' mean `ratings` (units,), NaN where there is none.

    `cluster` (units,) of people, which `seed` splits in halves. Under ten clusters nothing can be said: half of them have no interval.
    """
    known = np.isfinite(scores) & np.isfinite(ratings)
    cluster, scores, ratings = cluster[known], scores[known], ratings[known]
    people = np.unique(cluster)
    if len(people) < 2 * FEWEST_CLUSTERS:
        reason = f"{len(people)} rated people are too few to calibrate on; it takes {2 * FEWEST_CLUSTERS}"
        return Calibration(False, nothing(), nothing(), nothing(), reason, None)
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(people)
    in_half = np.isin(cluster, drawn[: len(people) // 2])
    mapped, constant = np.empty(len(scores)), np.empty(len(scores))
    for half in (in_half, ~in_half):
        mapped[half] = isotonic_map(scores[~half], ratings[~half])(scores[half])
        constant[half] = ratings[~half].mean()
    errors = bootstrap.mean(cluster, np.abs(np.stack([mapped, constant], axis=1) - ratings[:, None]))
    draws = resampled_spearman(bootstrap, cluster, mapped, ratings)
    correlation = of_draws(float(spearman(mapped, ratings)), draws, len(scores), len(people))
    mae, constant_mae = of_estimates(errors, 0), of_estimates(errors, 1)
    reason = _short_of(thresholds, mae, constant_mae, correlation)
    return Calibration(not reason, mae, constant_mae, correlation, reason, isotonic_map(scores, ratings))


def isotonic_map(scores: Floats, ratings: Floats) -> IsotonicMap:
    """The never-falling map with the least squared error from `scores` to `ratings` (units,); equal scores share one knot."""
    knots, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    mean = np.bincount(place, weights=ratings) / count
    fitted = isotonic_regression(mean, weights=count).x
    return IsotonicMap(tuple(map(float, knots)), tuple(map(float, fitted)))


def _short_of(thresholds: Thresholds, mae: Figure, constant: Figure, correlation: Figure) -> str:
    if math.isnan(correlation.low):
        return "the judge gives no order: its mapped scores, or the ratings, are all the same"
    if correlation.low < thresholds.spearman:
        return f"the lower bound of Spearman's correlation with humans is {correlation.low:.2f}, under {thresholds.spearman:.2f}"
    if mae.value > thresholds.mae:
        return f"the mean absolute error is {mae.value:.2f} on other people, over {thresholds.mae:.2f}"
    return "" if mae.value < constant.value else "the humans' mean rating predicts them as well as the judge does"
