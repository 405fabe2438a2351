"""What is asked of a gallery: one prompt's vector to be found among everyone's captions of one half; and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.stage import Half

SIZES = (100, 1000)
"""People in the fixed galleries."""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """One prompt's vector (d,), whole and masked, to be found among everyone's captions of the half `among`."""

    subject: str
    among: Half
    vector: NDArray[Any]
    masked: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Found:
    """How often the right person came first, mean of both halves, in each gallery, and how many people that had; None without a rank.

    `near_own` and `near_other` are the largest cosines of the prompts with any caption of the person's and of anyone's outside their
    cluster: what was copied, and whether it was somebody else's.
    """

    reid_100: float | None
    reid_1000: float | None
    reid_hard: float | None
    reid_masked: float | None
    size_100: int
    size_1000: int
    size_hard: int
    size_masked: int
    near_own: float | None
    near_other: float | None


def mean_hit(hits: Sequence[float]) -> float | None:
    """The mean over halves that have a rank."""
    ranked = [float(hit) for hit in hits if np.isfinite(hit)]
    return sum(ranked) / len(ranked) if ranked else None


def largest(cosines: NDArray[np.float64]) -> float | None:
    """The largest of the cosines that there are."""
    there = cosines[np.isfinite(cosines)]
    return float(there.max()) if len(there) else None
