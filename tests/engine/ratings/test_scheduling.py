"""Which pairs come next: the informative ones, each person the same number, nobody a pair twice."""

from __future__ import annotations

import numpy as np

from engine.ratings.counts import Counts, count
from engine.ratings.fitting import fit
from engine.ratings.scheduling import Schedule, next_pairs
from tests.engine.ratings.verdicts import drawn, told


def asked(schedule: Schedule) -> set[tuple[int, int, int]]:
    return set(zip(schedule.profile.tolist(), schedule.one.tolist(), schedule.two.tolist(), strict=True))


def start(people: int, strength: tuple[float, ...] = (1.5, 0.5, 0.0, -0.5, -1.5)) -> Counts:
    return count(drawn(1, people, 2, strength))


def test_everyone_is_asked_as_much_and_nobody_a_pair_twice() -> None:
    counts = count(drawn(1, 12, 2, (0.5, 0.1, 0.0, -0.6), position=(0.0,)))
    schedule = next_pairs(counts, budget=24, seed=1)
    assert len(asked(schedule)) == 24
    of_cluster = counts.per_cluster.toarray()
    seen = {
        (p, min(a, b), max(a, b))
        for cell, (a, b) in enumerate(zip(counts.first.tolist(), counts.second.tolist(), strict=True))
        for p in np.flatnonzero(of_cluster[:, 3 * cell : 3 * cell + 3].sum(axis=1)).tolist()
    }
    assert not seen & asked(schedule)
    total = np.bincount([person for person, _, _ in seen | asked(schedule)], minlength=12)
    assert total.max() - total.min() <= 1


def test_the_budget_is_kept_and_a_finished_study_asks_nothing() -> None:
    counts = start(6)
    assert len(next_pairs(counts, budget=7, seed=1).profile) == 7
    rest = next_pairs(counts, budget=1000, seed=1)
    assert len(rest.profile) < 6 * 10
    everything = told("A>B B>A " * 5, people=np.repeat(np.arange(5), 2))
    assert not len(next_pairs(count(everything), budget=10, seed=1).profile)


def test_an_entrant_that_nobody_judged_comes_first() -> None:
    battles = drawn(2, 30, 6, (0.5, 0.0, -0.5, 0.0))
    counts = count(battles.of((battles.first != 3) & (battles.second != 3)))
    schedule = next_pairs(counts, budget=5, seed=1)
    assert schedule.two[0] == 3
    assert schedule.gain[0] > 10 * schedule.gain[-1]


def test_pairs_that_are_decided_are_not_asked() -> None:
    undecided = np.zeros(10, dtype=np.bool_)
    undecided[0] = True
    schedule = next_pairs(start(20), budget=8, seed=1, undecided=undecided)
    assert set(zip(schedule.one.tolist(), schedule.two.tolist(), strict=True)) == {(0, 1)}


def test_equal_seeds_give_equal_schedules() -> None:
    one, same, other = (next_pairs(start(10), budget=20, seed=seed) for seed in (1, 1, 2))
    assert asked(one) == asked(same)
    assert asked(one) != asked(other)


def test_chosen_pairs_tell_more_than_random_ones() -> None:
    """Generalised variance of the strengths after the same number of verdicts, expected at the truth."""
    strength = (3.0, 1.0, 0.0, -1.0, -3.0)
    counts = start(60, strength)
    chosen = next_pairs(counts, budget=200, seed=3)
    rng = np.random.Generator(np.random.PCG64(4))
    one = rng.integers(0, 5, 200)
    two = (one + rng.integers(1, 5, 200)) % 5
    assert log_determinant(counts, chosen.one, chosen.two) > log_determinant(counts, one, two) + 0.1


def log_determinant(counts: Counts, one: np.ndarray, two: np.ndarray) -> float:
    fitted = fit(counts, position=False)
    information = fitted.model.derivatives(fitted.totals, fitted.beta[None])[1][0, :5, :5]
    for a, b in zip(one, two, strict=True):
        x, nu = fitted.beta[a] - fitted.beta[b], np.exp(fitted.beta[5:])
        total = 2 * np.cosh(x / 2) + nu
        lead = np.zeros(5)
        lead[a], lead[b] = 1, -1
        information = information + np.outer(lead, lead) * (2 * np.cosh(x / 2) / total - (2 * np.sinh(x / 2) / total) ** 2).sum() / 2
    return float(np.linalg.slogdet(information)[1])
