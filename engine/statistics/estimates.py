"""What an estimate is: a mean with its standard error and resampled pivots, and the interval that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

RESAMPLES = 2000
CONFIDENCE = 0.95
FEW_CLUSTERS = 30
FEWEST_CLUSTERS = 5
_TAILS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Estimates:
    """One estimate per column; NaN where there is none.

    `n` counts values, `clusters` the clusters of people that they come from, `families` the query families; 0 families where queries
    do not vary and the interval is one-way.
    """

    mean: Floats
    low: Floats
    high: Floats
    n: Integers
    clusters: Integers
    families: Integers


@dataclass(frozen=True, slots=True)
class Resampled:
    """Means with their resamples: what intervals, simultaneous intervals and p values are made from.

    `pivots` (resamples, columns) stand for (mean - truth) / error, so an interval is mean - quantile x error; NaN where a resample has
    none, a whole column of NaN where too few clusters allow no interval. Without spread `error` is 0, and so are the pivots.
    """

    mean: Floats
    error: Floats
    pivots: Floats
    n: Integers
    clusters: Integers
    families: Integers

    def estimates(self) -> Estimates:
        """The means with their own 95 % intervals."""
        lower, upper = percentile_interval(self.pivots)
        low, high = self.mean - upper * self.error, self.mean - lower * self.error
        return Estimates(self.mean, low, high, self.n, self.clusters, self.families)


def student_widening(degrees: float) -> float:
    """Student's t quantile over the normal one: what a percentile interval lacks in width (Hesterberg 2015, expanded percentile)."""
    return float(stdtrit(degrees, _TAILS[1]) / ndtri(_TAILS[1]))


def expanded_tails(clusters: int) -> tuple[float, float]:
    """The percentiles that make a percentile interval of a statistic over `clusters` as wide as Student's t asks (Hesterberg 2015)."""
    tail = float(ndtr(-np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, _TAILS[1])))
    return tail, 1 - tail


def percentile_interval(draws: Floats, tails: tuple[float, float] = _TAILS) -> tuple[Floats, Floats]:
    """What lies between two percentiles of each column of `draws` (resamples, columns), the middle 95 % if nothing is said.

    NaN for a column with more than 5 % of its resamples undefined.
    """
    low, high = np.full(draws.shape[1], np.nan), np.full(draws.shape[1], np.nan)
    defined = np.isfinite(draws)
    whole = defined.all(axis=0)
    if whole.any():
        low[whole], high[whole] = np.quantile(draws[:, whole], tails, axis=0)
    for column in np.flatnonzero(~whole & (defined.mean(axis=0) >= CONFIDENCE)):
        low[column], high[column] = np.quantile(draws[defined[:, column], column], tails)
    return low, high


def without_spread(error: Floats, values: Floats) -> Flags:
    """(columns,) whether a standard error is nothing but the rounding of the column's `values` (cases, columns)."""
    return np.asarray(error <= 1e-13 * np.maximum(np.abs(values).max(axis=0, initial=0.0), 1e-300))


def cluster_sums(cluster: Integers, values: Floats, clusters: int) -> Floats:
    """Sums of the columns of `values` (cases, columns) within each cluster: (clusters, columns)."""
    sums = np.empty((clusters, values.shape[1]))
    for column in range(values.shape[1]):
        sums[:, column] = np.bincount(cluster, weights=values[:, column], minlength=clusters)
    return sums


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotients; NaN where the denominator is not positive."""
    quotient = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def column_patterns(values: Floats) -> list[tuple[Flags, Integers]]:
    """For each set of cases in which some columns of `values` (cases, columns) have a value: those cases, and the columns."""
    present = np.isfinite(values)
    places: dict[bytes, list[int]] = {}
    for column in range(values.shape[1]):
        places.setdefault(present[:, column].tobytes(), []).append(column)
    return [(present[:, columns[0]], np.array(columns, dtype=np.int64)) for columns in places.values()]
