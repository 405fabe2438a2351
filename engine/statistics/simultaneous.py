"""All comparisons of one family at once: max-t intervals and Holm's p values, from the same resamples (METRICS, agreement and effect)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.estimates import CONFIDENCE, Floats, Resampled, ratio
from engine.statistics.multiple_testing import holm


@dataclass(frozen=True, slots=True)
class Family:
    """(columns,) for one family of comparisons; NaN where there are too few clusters.

    `low` and `high` cover all truths at once with 95 %; `p` is each column's own two-sided p value against 0, `holm` the adjusted one.
    The least p value is 1 / (resamples + 1).
    """

    low: Floats
    high: Floats
    p: Floats
    holm: Floats


def family_of(found: Resampled) -> Family:
    """Simultaneous intervals and p values of all columns as one family.

    The critical value is the 95 % quantile over resamples of the largest |pivot| of any column (Romano and Wolf 2005): every column's
    interval is its mean and that many standard errors. A p value is the share of |pivots| that reach |mean| / error.
    """
    columns = len(found.mean)
    size = np.abs(found.pivots)
    known = np.isfinite(size).mean(axis=0) >= CONFIDENCE
    low, high, p = np.full(columns, np.nan), np.full(columns, np.nan), np.full(columns, np.nan)
    if known.any():
        size = size[:, known]
        drawn = np.where(np.isfinite(size), size, -np.inf).max(axis=1)
        half = np.quantile(drawn[np.isfinite(drawn)], CONFIDENCE) * found.error[known]
        low[known], high[known] = found.mean[known] - half, found.mean[known] + half
        p[known] = _p_values(size, found.mean[known], found.error[known])
    return Family(low, high, p, holm(p))


def _p_values(size: Floats, mean: Floats, error: Floats) -> Floats:
    """Two-sided; without spread a mean that is not 0 is as far out as can be, and one that is 0 not at all."""
    observed = ratio(np.abs(mean), error)
    observed = np.where(error > 0, observed, np.where(np.abs(mean) > 1e-12, np.inf, 0.0))
    defined = np.isfinite(size)
    beyond = (defined & (size >= observed)).sum(axis=0)
    return np.asarray((beyond + 1) / (defined.sum(axis=0) + 1))
