"""One figure with its 95 % interval over clusters of people."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.statistics.estimates import FEWEST_CLUSTERS, Estimates, Floats, expanded_tails, percentile_interval


@dataclass(frozen=True, slots=True)
class Figure:
    """NaN where there is none: `low` and `high` under five clusters, or where more than 5 % of the resamples are undefined.

    `n` counts what the figure is computed over (each function says what), `clusters` the clusters of people behind it.
    """

    value: float
    low: float
    high: float
    n: int
    clusters: int


def nothing() -> Figure:
    """The figure of no data."""
    return Figure(math.nan, math.nan, math.nan, 0, 0)


def of_estimates(found: Estimates, column: int = 0) -> Figure:
    """One column of `found`."""
    mean, low, high = (float(values[column]) for values in (found.mean, found.low, found.high))
    return Figure(mean, low, high, int(found.n[column]), int(found.clusters[column]))


def of_draws(value: float, draws: Floats, n: int, clusters: int) -> Figure:
    """A statistic that is no mean, with the percentile interval of its `draws` (resamples,), as wide as Student's t asks.

    The percentiles move outward for few clusters (Hesterberg 2015, expanded percentile), so that no bound leaves the statistic's range.
    """
    if clusters < FEWEST_CLUSTERS or math.isnan(value):
        return Figure(value, math.nan, math.nan, n, clusters)
    low, high = percentile_interval(draws[:, None], expanded_tails(clusters))
    return Figure(value, float(low[0]), float(high[0]), n, clusters)
