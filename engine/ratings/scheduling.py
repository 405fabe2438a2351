"""Which pairs to ask next: those that tell most about the strengths, spread evenly over people.

The gain of a unit, one pair shown to one person in both orders, is what it adds to the log determinant of the information about the
strengths (D-optimality), at the present estimate. Units are chosen one after another, each as if those before had been answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.ratings.counts import RESULTS, Counts
from engine.ratings.fitting import RIDGE, fit
from engine.statistics.estimates import Flags, Floats, Integers


@dataclass(frozen=True, slots=True)
class Schedule:
    """(units,) in the order of asking: the person's cluster, the two entrants, and the expected gain in nats."""

    profile: Integers
    one: Integers
    two: Integers
    gain: Floats


def next_pairs(counts: Counts, budget: int, seed: int, undecided: Flags | None = None) -> Schedule:
    """Up to `budget` units worth asking next; fewer if every person has seen every pair.

    Args:
        counts: verdicts so far; every cluster can be asked, and none is asked a pair twice.
        budget: number of units; each costs two verdicts of every judge.
        seed: decides between equals.
        undecided: (pairs,) which pairs are still in question, in the order of `sequences.PairSequences`; all if None.
    """
    m, profiles = len(counts.entrants), counts.per_cluster.shape[0]
    pairs = np.array(list(combinations(range(m), 2)), dtype=np.int64).reshape(-1, 2)
    one, two = pairs[:, 0], pairs[:, 1]
    rng = np.random.Generator(np.random.PCG64(seed))
    asked = _asked(counts, pairs)
    load = asked.sum(axis=1).astype(np.float64) + rng.random(profiles) / 2
    covariance, unit = _uncertainty(counts, one, two)
    open_pairs = np.ones(len(pairs), dtype=np.bool_) if undecided is None else undecided.copy()
    between = rng.random(len(pairs)) * 1e-9
    chosen: list[tuple[int, int, float]] = []
    while len(chosen) < budget:
        open_pairs &= ~asked.all(axis=0)
        if not open_pairs.any():
            break
        apart = covariance[one, one] + covariance[two, two] - 2 * covariance[one, two]
        gain = np.log1p(unit * apart)
        pair = int(np.argmax(np.where(open_pairs, gain + between, -np.inf)))
        profile = int(np.argmin(np.where(asked[:, pair], np.inf, load)))
        asked[profile, pair] = True
        load[profile] += 1
        chosen.append((profile, pair, float(gain[pair])))
        moved = covariance[:, one[pair]] - covariance[:, two[pair]]
        covariance -= np.outer(moved, moved) * (unit[pair] / (1 + unit[pair] * apart[pair]))
    which = np.array([pair for _, pair, _ in chosen], dtype=np.int64)
    profile_of = np.array([profile for profile, _, _ in chosen], dtype=np.int64)
    return Schedule(profile_of, one[which], two[which], np.array([gain for _, _, gain in chosen], dtype=np.float64))


def _asked(counts: Counts, pairs: Integers) -> Flags:
    """(profiles, pairs) whether anyone has judged the pair for this person."""
    number = {(int(one), int(two)): index for index, (one, two) in enumerate(pairs)}
    of_pair = np.zeros((len(counts.judge) * RESULTS, len(pairs)))
    for cell, (one, two) in enumerate(zip(counts.first, counts.second, strict=True)):
        of_pair[RESULTS * cell : RESULTS * (cell + 1), number[min(int(one), int(two)), max(int(one), int(two))]] = 1.0
    return np.asarray(counts.per_cluster @ of_pair > 0)


def _uncertainty(counts: Counts, one: Integers, two: Integers) -> tuple[Floats, Floats]:
    """Covariance of the strengths (entrants, entrants) and each pair's information in one unit; what is unknown has variance 1 / ridge."""
    m, judges = len(counts.entrants), max(1, len(counts.judges))
    information, strength = RIDGE * np.eye(m), np.zeros(m)
    position, nu = np.zeros(judges), np.ones(judges)
    compared = counts.compared()
    if compared.entrants:
        place = np.array([counts.entrants.index(name) for name in compared.entrants])
        fitted = fit(compared)
        size, beta = len(place), fitted.beta
        full = fitted.model.derivatives(fitted.totals, beta[None])[1][0]
        full[:size, :size] -= fitted.totals[0, : fitted.model.cells].sum() / size**2
        aside = np.linalg.solve(full[size:, size:], full[size:, :size])
        information[np.ix_(place, place)] += full[:size, :size] - full[:size, size:] @ aside
        strength[place] = beta[:size]
        position, nu = beta[size : size + judges], np.exp(beta[size + judges :])
    unit = np.zeros(len(one))
    for a, b in ((one, two), (two, one)):
        x = (strength[a] - strength[b])[:, None] + position
        up = np.exp(x / 2)
        total = up + 1 / up + nu
        unit += ((up + 1 / up) / total - ((up - 1 / up) / total) ** 2).sum(axis=1) / 4
    return np.asarray(np.linalg.inv(information), dtype=np.float64), unit
