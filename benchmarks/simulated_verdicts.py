"""Verdicts of simulated judges on simulated people with known strengths, for `rating_coverage.py` and the tests.

Four entrants, all six pairs, both orders, two judges with a position and a tie term each: 24 verdicts a person. A person's own strengths
scatter around the common ones; the latent noise of a swapped pair is correlated.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from engine.ratings.battles import FIRST, SECOND, TIE, Battles

ENTRANTS = ("a", "b", "c", "d")
JUDGES = ("left", "right")
STRENGTH = np.array([0.6, 0.2, -0.2, -0.6])
POSITION = np.array([0.4, -0.2])
NU = np.array([0.5, 0.2])

PAIRS = np.array(list(combinations(range(len(ENTRANTS)), 2)))
_JUDGE, _PAIR, _ORDER = (part.ravel() for part in np.meshgrid(np.arange(2), np.arange(len(PAIRS)), np.arange(2), indexing="ij"))
PER_PERSON = len(_JUDGE)
_FIRST, _SECOND = PAIRS[_PAIR, _ORDER], PAIRS[_PAIR, 1 - _ORDER]


def simulated_results(
    rng: np.random.Generator, people: int, person_sd: float, swap_correlation: float, strength: NDArray[np.float64] = STRENGTH
) -> NDArray[np.int64]:
    """(people, 24) results, in the order of `battles_of`."""
    own = strength + person_sd * rng.normal(size=(people, len(strength)))
    up = np.exp((own[:, _FIRST] - own[:, _SECOND] + POSITION[_JUDGE]) / 2)
    total = up + 1 / up + NU[_JUDGE]
    noise = rng.normal(size=(people, PER_PERSON // 2, 2))
    noise[:, :, 1] = swap_correlation * noise[:, :, 0] + np.sqrt(1 - swap_correlation**2) * noise[:, :, 1]
    noise[:, :, 1] *= -1  # the order is the other one: what speaks for an entrant speaks for the other side
    drawn = ndtr(noise.reshape(people, PER_PERSON))
    return np.where(drawn < up / total, FIRST, np.where(drawn < 1 - 1 / up / total, TIE, SECOND))


def battles_of(results: NDArray[np.int64]) -> Battles:
    """The verdicts of `results` (people, 24), each person a cluster."""
    people = len(results)
    person = np.repeat(np.arange(people), PER_PERSON)
    swap = np.repeat(np.arange(people * PER_PERSON // 2), 2)
    columns = (np.tile(column, people) for column in (_JUDGE, _FIRST, _SECOND))
    return Battles(ENTRANTS, JUDGES, tuple(map(str, range(people))), person, *columns, results.ravel(), swap)
