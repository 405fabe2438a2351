"""Two methods compared at equal prompt length, since a longer prompt can score higher for its length alone.

Cases of both methods are matched within strata: the task, and the length in bins of `BIN_WORDS` words. The matched difference is the mean
over strata of the difference in mean score, each weighted by the smaller of its two numbers of cases, so only lengths that both methods
write count, and how much that leaves is told. What difference in words remains within a bin is taken out with one slope of score on
words, fitted within bins and methods (bias-corrected matching after Abadie and Imbens 2011). A regression over all lengths would instead
extrapolate where the methods share none. What is matched is the length alone, so a matched lead is not yet a cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.crossing import Crossing
from engine.statistics.estimates import Flags, Floats, Integers
from engine.statistics.two_way import TwoWayBootstrap

BIN_WORDS = 5
FEWEST_MATCHED = 20
"""With fewer cases of either method in bins that both fill, there is no figure."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Difference in mean score at equal length, one - two; NaN with hardly any length in common.

    `n_one` and `n_two` count the cases in bins that both methods fill, `share_one` and `share_two` their shares of all cases.
    """

    difference: float
    low: float
    high: float
    n_one: int
    n_two: int
    share_one: float
    share_two: float


def matched_difference(bootstrap: TwoWayBootstrap, where: Crossing, task: Integers, scores: Floats, words: Floats) -> Matched:
    """Compare two methods at equal prompt length.

    Args:
        bootstrap: the run's resamples of people and query families.
        where: each case's cluster of people and query family.
        task: (cases,) the task of each case.
        scores: (cases, 2) of the one method and of the other; only cases where both have a score and a length count.
        words: (cases, 2) length of the prompts.
    """
    complete = np.isfinite(np.concatenate([scores, words], axis=1)).all(axis=1)
    scores, words, task, where = scores[complete], words[complete], task[complete], where.of(complete)
    strata, stratum = _strata(task, words)
    counts = np.stack([np.bincount(stratum[:, side], minlength=strata) for side in (0, 1)], axis=1).astype(np.float64)
    common = counts.min(axis=1) > 0
    matched: Flags = np.asarray(common[stratum])
    n_one, n_two = (int(matched[:, side].sum()) for side in (0, 1))
    shares = (n_one / len(scores), n_two / len(scores)) if len(scores) else (0.0, 0.0)
    if min(n_one, n_two) < FEWEST_MATCHED:
        return Matched(np.nan, np.nan, np.nan, n_one, n_two, *shares)
    difference, influence = _difference(scores, words, stratum, counts, matched)
    found = bootstrap.mean(where, influence[:, None])
    low, high = difference + found.low[0] - found.mean[0], difference + found.high[0] - found.mean[0]
    return Matched(difference, float(low), float(high), n_one, n_two, *shares)


def _strata(task: Integers, words: Floats) -> tuple[int, Integers]:
    """How many strata there are, and the one of each case and method: (cases, 2)."""
    bins = np.floor(words / BIN_WORDS).astype(np.int64)
    label = task[:, None] * (bins.max(initial=0) + 1) + bins
    found, stratum = np.unique(label, return_inverse=True)
    return len(found), stratum.reshape(label.shape).astype(np.int64)


def _difference(scores: Floats, words: Floats, stratum: Integers, counts: Floats, matched: Flags) -> tuple[float, Floats]:
    """The matched difference, and (cases,) how much each case moves it, times the number of cases: the linearised difference."""
    strata = len(counts)
    weight = np.where(counts.min(axis=1) > 0, counts.min(axis=1), 0.0)
    weight = weight / weight.sum()
    score_rest, score_means = _within(scores, stratum, counts, strata)
    words_rest, words_means = _within(words, stratum, counts, strata)
    spread = float((words_rest**2)[matched].sum())
    slope = float((words_rest * score_rest)[matched].sum()) / spread if spread > 0 else 0.0
    lead, longer = score_means[:, 0] - score_means[:, 1], words_means[:, 0] - words_means[:, 1]
    left_over = float(weight @ longer)
    difference = float(weight @ lead) - slope * left_over
    rest = np.where(matched, score_rest - slope * words_rest, 0.0)
    of_mean = np.where(matched, weight[stratum] / np.maximum(np.take_along_axis(counts, stratum, axis=0), 1), 0.0)
    of_slope = words_rest / spread if spread > 0 else np.zeros_like(words_rest)
    signs = np.array([1.0, -1.0])
    return difference, np.asarray((rest * (signs * of_mean - left_over * of_slope)).sum(axis=1) * len(scores))


def _within(values: Floats, stratum: Integers, counts: Floats, strata: int) -> tuple[Floats, Floats]:
    """`values` (cases, 2) less the mean of their stratum and method, and those means (strata, 2), 0 where empty."""
    sums = np.stack([np.bincount(stratum[:, side], weights=values[:, side], minlength=strata) for side in (0, 1)], axis=1)
    means = sums / np.maximum(counts, 1)
    return values - np.take_along_axis(means, stratum, axis=0), means
