"""Many tests at once: Holm for the family of a claim, Benjamini and Hochberg for slices that are looked through.

A NaN is a test that could not be made: it stays NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.statistics.estimates import Floats


def holm(p: Floats) -> Floats:
    """Holm's adjusted p values (1979): rejecting those <= a keeps the chance of any false rejection <= a. (tests,) -> (tests,)."""
    return _adjusted(p, lambda ordered: np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)))


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini and Hochberg's q values (1995): of those <= a at most a share a is false in expectation. (tests,) -> (tests,)."""

    def q(ordered: Floats) -> Floats:
        scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])

    return _adjusted(p, q)


def _adjusted(p: Floats, adjust: Callable[[Floats], Floats]) -> Floats:
    adjusted = np.full(len(p), np.nan)
    made = np.flatnonzero(np.isfinite(p))
    order = made[np.argsort(p[made], kind="stable")]
    adjusted[order] = np.minimum(adjust(p[order]), 1.0)
    return adjusted
