"""Online Elo, for display: the rating that a sequence of verdicts leads to, and how far it depends on their order.

Whoever is shown late decides, so the mean and the spread over many seeded orders are what is told (METRICS, ratings).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import Battles
from engine.ratings.scale import MIDDLE, POINTS
from engine.statistics.estimates import Floats, Integers

METHOD = "online-elo/k=32/start=1500/ties=half-wins/v1"
STEP = 32.0
ORDERS = 200
LONGEST = 20_000
"""Verdicts played in each order. Elo forgets: with up to a hundred entrants what came before that many weighs next to nothing."""
_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class OnlineElo:
    """(entrants,) mean and standard deviation of the final rating over `orders` random orders; NaN for an entrant without verdicts.

    `rankings` counts the different rankings that the orders gave.
    """

    mean: Floats
    sd: Floats
    orders: int
    rankings: int


def play(rating: Floats, first: Integers, second: Integers, score: Floats) -> None:
    """Play sequences of verdicts side by side, in place.

    Args:
        rating: (sequences, entrants) where each stands.
        first: (verdicts, sequences) the entrant shown first in each verdict.
        second: likewise shown second.
        score: likewise 1 where the first was preferred, 1/2 for a tie, 0 otherwise.
    """
    flat = rating.reshape(-1)
    offset = np.arange(len(rating)) * rating.shape[1]
    for one, two, won in zip(first, second, score, strict=True):
        at_one, at_two = offset + one, offset + two
        gain = STEP * (won - 1 / (1 + np.exp((flat[at_two] - flat[at_one]) / POINTS)))
        flat[at_one] += gain
        flat[at_two] -= gain


def online_elo(battles: Battles, seed: int, orders: int = ORDERS) -> OnlineElo:
    """Elo with K = 32 over `orders` seeded random orders of all verdicts, or of so many drawn anew for each."""
    rng = np.random.Generator(np.random.PCG64(seed))
    played = min(len(battles), LONGEST)
    drawn = np.empty((played, orders), dtype=np.int32)
    for order in range(orders):
        drawn[:, order] = rng.choice(len(battles), played, replace=False)
    score = 1.0 - battles.result / 2.0
    rating = np.full((orders, len(battles.entrants)), MIDDLE)
    for start in range(0, played, _AT_ONCE):
        rows = drawn[start : start + _AT_ONCE]
        play(rating, battles.first[rows], battles.second[rows], score[rows])
    never = np.ones(len(battles.entrants), dtype=np.bool_)
    never[battles.first] = never[battles.second] = False
    rankings = len(np.unique(np.argsort(-rating, axis=1, kind="stable"), axis=0))
    mean, sd = rating.mean(axis=0), rating.std(axis=0, ddof=1)
    mean[never], sd[never] = np.nan, np.nan
    return OnlineElo(mean, sd, orders, rankings)
