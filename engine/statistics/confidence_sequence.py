"""Intervals that hold at all times at once, for runs that are looked at while they grow (METRICS, agreement and effect).

A fixed-n interval that is looked at again and again rejects a true value far more often than it says. An asymptotic confidence sequence
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024) does not.
"""

from __future__ import annotations

import math

TIGHTEST_AT = 500
"""The number of profiles at which the sequence is tightest."""


def half_width(deviation: float, profiles: int, alpha: float = 0.05, tightest_at: int = TIGHTEST_AT) -> float:
    """Half the width of the sequence after `profiles` profile means.

    Args:
        deviation: standard deviation of the profile means.
        profiles: how many there are so far, t in METRICS.
        alpha: 1 - confidence.
        tightest_at: t* in METRICS.

    Raises:
        ValueError: no profile, or an alpha outside (0, 1).
    """
    if profiles < 1 or tightest_at < 1 or not 0 < alpha < 1:
        raise ValueError(f"no confidence sequence for {profiles} profiles, tightest at {tightest_at}, alpha {alpha}")
    rho = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / tightest_at
    grown = profiles * rho + 1
    return deviation * math.sqrt(2 * grown / (profiles**2 * rho) * math.log(math.sqrt(grown) / alpha))
