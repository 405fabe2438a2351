"""Newton's method on many resamples at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.davidson import Davidson
from engine.statistics.estimates import Flags, Floats

_LIMIT = 40
_LONGEST = 3.0
"""No parameter moves by more log odds in one step: far from the maximum a full step may overshoot."""
_CELLS_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True)
class Maxima:
    """Where each round's likelihood is greatest: `beta` (rounds, P), and whether there is such a point, `found` (rounds,)."""

    beta: Floats
    found: Flags


def maximise(model: Davidson, statistics: Floats, start: Floats, *, ridge: float = 0.0, tolerance: float = 1e-10) -> Maxima:
    """The maxima of the log likelihoods, less ridge |beta|^2 / 2, of `statistics` (rounds, S).

    Args:
        model: the likelihood.
        statistics: (rounds, S).
        start: (P,) where every round starts.
        ridge: weight of the penalty.
        tolerance: the longest last step, in log odds.

    Where the data put a maximum at infinity steps never become short, however flat the likelihood: such a round is not `found`.
    """
    beta, found = np.tile(start, (len(statistics), 1)), np.zeros(len(statistics), dtype=np.bool_)
    step = max(1, _CELLS_AT_ONCE // model.cells)
    for first in range(0, len(statistics), step):
        some = slice(first, first + step)
        beta[some], found[some] = _block(model, statistics[some], beta[some], ridge, tolerance)
    return Maxima(beta, found)


def _block(model: Davidson, statistics: Floats, beta: Floats, ridge: float, tolerance: float) -> tuple[Floats, Flags]:
    found = np.zeros(len(beta), dtype=np.bool_)
    left = np.arange(len(beta))
    at = np.arange(model.parameters)
    for _ in range(_LIMIT):
        gradient, information = model.derivatives(statistics, beta[left])
        gradient -= ridge * beta[left]
        # A hair of curvature keeps a flat direction from stopping the whole batch; the maximum itself does not depend on it.
        information[:, at, at] += ridge + 1e-12 * information[:, at, at].max(axis=1, keepdims=True)
        move = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        length = np.abs(move).max(axis=1)
        beta[left] += move * np.minimum(1.0, _LONGEST / np.maximum(length, 1e-300))[:, None]
        done = length < tolerance
        if done.any():
            found[left[done]] = True
            left, statistics = left[~done], statistics[~done]
        if not len(left):
            break
    return beta, found
