"""The golden values of METRICS, ratings."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from engine.ratings.battles import Battles
from engine.ratings.counts import count
from engine.ratings.fitting import Fitted, fit
from engine.ratings.online_elo import play
from engine.ratings.scale import MIDDLE, POINTS
from engine.ratings.swapped import swap_accuracy, swap_pairs
from tests.engine.ratings.verdicts import told

THREE = "A>B B>C A=C"


def ratings(fitted: Fitted) -> np.ndarray:
    return MIDDLE + POINTS * fitted.beta[: fitted.model.entrants]


def half_wins(battles: Battles) -> Fitted:
    return fit(count(battles), position=False, ties=False)


def test_online_elo_of_three_verdicts() -> None:
    battles = told(THREE)
    rating = np.full((1, 3), MIDDLE)
    play(rating, battles.first[:, None], battles.second[:, None], 1 - battles.result[:, None] / 2)
    assert rating[0] == pytest.approx([1514.496882908794, 1500.736306793522, 1484.766810297684], abs=1e-9)


def test_bradley_terry_of_three_verdicts_with_a_tie_as_half_a_win() -> None:
    assert ratings(half_wins(told(THREE))) == pytest.approx([1631.384089112214, 1500, 1368.615910887786], abs=1e-8)


def test_two_players_three_to_one() -> None:
    one, two = ratings(half_wins(told("3A>B 1A<B")))
    assert one - two == pytest.approx(190.848501887865, abs=1e-8)


def test_davidson_without_position() -> None:
    fitted = fit(count(told("30A>B 10A<B 20A=B")), position=False)
    one, two = ratings(fitted)
    assert one - two == pytest.approx(190.848501887865, abs=1e-8)
    assert np.exp(fitted.beta[2]) == pytest.approx(2 / sqrt(3), abs=1e-10)


def test_the_same_with_ties_as_half_wins() -> None:
    one, two = ratings(half_wins(told("30A>B 10A<B 20A=B")))
    assert one - two == pytest.approx(120.411998265592, abs=1e-8)


def test_davidson_with_position() -> None:
    fitted = fit(count(told("36A>B 12A=B 4A<B 12B>A 12B=A 12B<A")))
    strength_a, strength_b, position, log_nu = fitted.beta
    assert strength_a - strength_b == pytest.approx(log(3), abs=1e-10)
    assert position == pytest.approx(log(3), abs=1e-10)
    assert np.exp(log_nu) == pytest.approx(1, abs=1e-10)


def test_swap_pairs() -> None:
    # 5 AA, 3 AB, 1 BB, 1 A-tie; A is the better one
    both = [("A>B", "B<A")] * 5 + [("A>B", "B>A")] * 3 + [("A<B", "B>A")] + [("A>B", "B=A")]
    battles = told(" ".join(order for pair in both for order in pair))
    battles.cluster[:] = battles.pair[:] = np.repeat(np.arange(10), 2)
    pairs = swap_pairs(battles)
    found = swap_accuracy(pairs, np.ones(10, dtype=np.bool_))
    assert found.individual.mean[0] == pytest.approx(0.725)
    assert found.consistent_else_tie.mean[0] == pytest.approx(0.70)
    assert found.drop_inconsistent.mean[0] == pytest.approx(5 / 6)
    assert found.consistency.mean[0] == pytest.approx(0.6)
    assert found.individual.low[0] < 0.725 < found.individual.high[0]
    assert pairs.flipped.sum() == 3
