"""What missing units could change: the mean if every missing one had scored the least, or the most, that its metric allows."""

from __future__ import annotations

import numpy as np

from engine.statistics.estimates import Floats

BOUNDED_ABOVE = 0.01
"""From this share of missing units on, bounds stand beside a mean."""

_ROUNDING = 1e-6


def worst_case_bounds(values: Floats, least: float, most: float) -> tuple[Floats, Floats]:
    """(columns,) lower and upper bound of each column's mean over all cases (Manski 1990).

    Args:
        values: (cases, columns) in [least, most]; NaN where a unit has no value.
        least: the metric's least value: 0, or -1 for a cosine.
        most: its greatest value.

    A column with a value outside [least, most], beyond rounding, has no bounds: NaN.
    """
    if not len(values):
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    low, high = np.where(np.isfinite(values), values, least), np.where(np.isfinite(values), values, most)
    outside = (low.min(axis=0) < least - _ROUNDING) | (high.max(axis=0) > most + _ROUNDING)
    return np.where(outside, np.nan, low.mean(axis=0)), np.where(outside, np.nan, high.mean(axis=0))
