"""Growing studies: what is known at each look, and when to stop."""

from __future__ import annotations

import numpy as np
import pytest
from rating_coverage import false_alarms

from engine.ratings.battles import Battles
from engine.ratings.counts import count
from engine.ratings.sequences import FIRST_LOOK, pair_sequences
from engine.statistics.confidence_sequence import half_width
from tests.engine.ratings.verdicts import drawn, told


def so_far(battles: Battles, people: int) -> Battles:
    return battles.of(battles.cluster < people)


def test_the_interval_is_the_sequence_of_the_profiles_mean_preferences() -> None:
    # 40 people see A and B in both orders: 20 prefer A both times, 10 tie once, 10 prefer B both times
    lines = "A>B B<A " * 20 + "A>B A=B " * 10 + "A<B B>A " * 10
    found = pair_sequences(count(told(lines, people=np.repeat(np.arange(40), 2))))
    means = np.repeat([1.0, 0.5, -1.0], [20, 10, 10])
    half = half_width(means.std(ddof=1), 40)
    assert found.mean[0] == pytest.approx(means.mean())
    assert (found.low[0], found.high[0]) == pytest.approx((means.mean() - half, means.mean() + half))
    assert found.profiles[0] == 40


def test_a_clear_study_stops_early_and_an_open_one_does_not() -> None:
    clear = drawn(1, 300, 12, (2.0, 0.0, -2.0))
    stops = [people for people in range(10, 300, 10) if pair_sequences(count(so_far(clear, people))).stop]
    assert stops
    assert FIRST_LOOK <= stops[0] <= 200
    at_stop = pair_sequences(count(so_far(clear, stops[0])))
    assert at_stop.decided.all()
    assert (at_stop.low > 0).all()
    assert not pair_sequences(count(drawn(2, 300, 12, (0.05, 0.0, -0.05))), margin=0.02).stop


def test_equals_end_as_equal_within_the_margin() -> None:
    found = pair_sequences(count(drawn(3, 4000, 6, (0.0, 0.0), position=(0.0,))), margin=0.1)
    assert found.equal.all()
    assert not found.decided.any()
    assert found.stop


def test_nothing_is_told_before_the_first_look() -> None:
    found = pair_sequences(count(drawn(4, FIRST_LOOK - 1, 20, (3.0, -3.0))))
    assert np.isnan(found.low).all()
    assert not found.stop


def test_pairs_share_the_level() -> None:
    two, three = (pair_sequences(count(drawn(5, 100, 30, strength))) for strength in ((0.5, -0.5), (0.5, -0.5, -9.0)))
    assert two.high[0] - two.low[0] < three.high[0] - three.low[0]


def test_peeking_misleads_the_sequence_seldom_and_a_fixed_interval_often() -> None:
    sequence, fixed = false_alarms(np.random.Generator(np.random.PCG64(6)), studies=300, people=400)
    assert sequence <= 0.05
    assert fixed >= 0.2
