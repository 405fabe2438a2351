"""Online Elo over many orders."""

from __future__ import annotations

import numpy as np

from engine.ratings import online_elo as module
from engine.ratings.online_elo import online_elo
from tests.engine.ratings.verdicts import drawn, told

STRENGTH = (0.3, 0.1, 0.0, -0.1, -0.3)


def test_the_order_decides() -> None:
    found = online_elo(drawn(1, 50, 20, STRENGTH), seed=3)
    assert found.orders == 200
    assert found.rankings > 20
    assert (found.sd > 10).all()
    assert found.mean[0] > 1500 > found.mean[4]
    assert np.isclose(found.mean.sum(), 5 * 1500)


def test_equal_seeds_give_equal_orders_and_other_seeds_other_ones() -> None:
    battles = drawn(2, 20, 10, STRENGTH)
    one, same, other = (online_elo(battles, seed, orders=5) for seed in (1, 1, 2))
    assert np.array_equal(one.mean, same.mean)
    assert not np.array_equal(one.mean, other.mean)


def test_what_came_long_before_is_forgotten(monkeypatch) -> None:
    battles = drawn(3, 200, 60, STRENGTH)
    whole = online_elo(battles, 1, orders=40)
    monkeypatch.setattr(module, "LONGEST", 6_000)
    part = online_elo(battles, 1, orders=40)
    assert np.abs(whole.mean - part.mean).max() < 4 * (whole.sd / np.sqrt(40)).max()
    assert np.allclose(whole.sd, part.sd, rtol=0.5)


def test_an_entrant_without_verdicts_has_none() -> None:
    battles = told("A>B B>A C>A")
    assert np.isnan(online_elo(battles.of(np.array([True, True, False])), 1, orders=3).mean[2])
