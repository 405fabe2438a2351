"""Two methods compared at equal prompt length, since a longer prompt can score higher for its length alone.

Cases of both methods are matched within strata: the task, and the length in bins of `BIN_WORDS` words. The matched difference is the mean
over strata of the difference in mean score, each weighted by the smaller of its two numbers of cases, so only lengths that both methods
write count, and how much that leaves is told. What difference in words remains within a bin is taken out with one slope of score on
words, fitted within bins and methods (bias-corrected matching after Abadie and Imbens 2011). A regression over all lengths would instead
extrapolate where the methods share none. What is matched is the length alone, so a matched lead is not yet a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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


def matched_differences(
    bootstrap: TwoWayBootstrap, where: Crossing, task: Integers, scores: Floats, words: Floats, pairs: Sequence[tuple[int, int]]
) -> list[Matched]:
    """Compare methods at equal prompt length, one pair (one, two) of columns each; intervals are two-way.

    Args:
        bootstrap: the run's resamples of people and query families.
        where: each case's cluster of people and query family.
        task: (cases,) the task of each case.
        scores: (cases, methods); for a pair only the cases count in which both have a score and a length.
        words: (cases, methods) length of the prompts.
        pairs: the columns that are compared.
    """
    known = np.isfinite(scores) & np.isfinite(words)
    found: list[Matched] = []
    influences = np.zeros((len(scores), len(pairs)))
    for column, pair in enumerate(pairs):
        cases = known[:, pair].all(axis=1)
        matched, influence = _match(task[cases], scores[cases][:, pair], words[cases][:, pair])
        found.append(matched)
        influences[cases, column] = influence * len(scores)
    estimates = bootstrap.mean(where, influences)
    return [
        replace(matched, low=float(matched.difference + estimates.low[column]), high=float(matched.difference + estimates.high[column]))
        for column, matched in enumerate(found)
    ]


def _match(task: Integers, scores: Floats, words: Floats) -> tuple[Matched, Floats]:
    """One pair without its interval, and (cases,) by how much each case moves the difference."""
    strata, stratum = _strata(task, words)
    counts = np.stack([np.bincount(stratum[:, side], minlength=strata) for side in (0, 1)], axis=1).astype(np.float64)
    common = counts.min(axis=1) > 0
    matched: Flags = np.asarray(common[stratum])
    n_one, n_two = (int(matched[:, side].sum()) for side in (0, 1))
    cases = max(1, len(scores))
    difference, influence = np.nan, np.zeros(len(scores))
    if min(n_one, n_two) >= FEWEST_MATCHED:
        difference, influence = _difference(scores, words, stratum, counts, matched)
    return Matched(difference, np.nan, np.nan, n_one, n_two, n_one / cases, n_two / cases), influence


def _strata(task: Integers, words: Floats) -> tuple[int, Integers]:
    """How many strata there are, and the one of each case and method: (cases, 2)."""
    bins = np.floor(words / BIN_WORDS).astype(np.int64)
    label = task[:, None] * (bins.max(initial=0) + 1) + bins
    found, stratum = np.unique(label, return_inverse=True)
    return len(found), stratum.reshape(label.shape).astype(np.int64)


def _difference(scores: Floats, words: Floats, stratum: Integers, counts: Floats, matched: Flags) -> tuple[float, Floats]:
    """The matched difference, and (cases,) by how much each case moves it: its linearisation, which sums to 0."""
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
    return difference, np.asarray((rest * (signs * of_mean - left_over * of_slope)).sum(axis=1))


def _within(values: Floats, stratum: Integers, counts: Floats, strata: int) -> tuple[Floats, Floats]:
    """`values` (cases, 2) less the mean of their stratum and method, and those means (strata, 2), 0 where empty."""
    sums = np.stack([np.bincount(stratum[:, side], weights=values[:, side], minlength=strata) for side in (0, 1)], axis=1)
    means = sums / np.maximum(counts, 1)
    return values - np.take_along_axis(means, stratum, axis=0), means
