"""PIPBench's released fit, under its own id."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ratings.counts import count
from engine.ratings.pipbench import METHOD, pipbench_elo, with_doubtful_ties
from engine.ratings.table import HEADLINE, PLAIN, rate
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from tests.engine.ratings.verdicts import drawn, told


def test_confidence_of_seven_tenths_or_less_is_a_tie() -> None:
    result = with_doubtful_ties(np.array([0, 2, 0, 2]), np.array([0.7, 0.71, np.nan, 0.1]))
    assert result.tolist() == [1, 2, 0, 1]


def test_two_entrants_have_the_binomial_interval_of_their_log_odds() -> None:
    found = pipbench_elo(count(told("30A>B 10A<B 20A=B")))
    # the odds are 40 : 20 with ties as half wins; the error of a log odds is sqrt(1/40 + 1/20), half of it for each of the two
    assert found.rating == pytest.approx([1500 + 200 * np.log10(2), 1500 - 200 * np.log10(2)])
    half = 1.959963984540054 * 400 / np.log(10) * np.sqrt(1 / 40 + 1 / 20) / 2
    assert found.half == pytest.approx([half, half])


def test_every_judges_verdict_counts_separately_so_that_saying_all_twice_narrows_it() -> None:
    battles = drawn(1, 20, 10, (0.5, 0.0, -0.5), position=(0.0,), nu=(0.3,))
    twice = drawn(1, 20, 10, (0.5, 0.0, -0.5), position=(0.0,), nu=(0.3,))
    columns = ("cluster", "judge", "first", "second", "result", "pair")
    doubled = type(battles)(battles.entrants, battles.judges, battles.clusters, *(np.tile(getattr(twice, name), 2) for name in columns))
    once, both = pipbench_elo(count(battles)), pipbench_elo(count(doubled))
    assert both.rating == pytest.approx(once.rating)
    assert both.half == pytest.approx(once.half / np.sqrt(2))
    intervals = [rate(count(which), ClusterBootstrap(20, seed=2, resamples=400)).rating.low for which in (battles, doubled)]
    assert intervals[0] == pytest.approx(intervals[1])  # people do not become more by being asked twice


def test_an_undefeated_entrant_has_no_interval() -> None:
    found = pipbench_elo(count(told("9A>B 2B>C 1B<C")))
    assert np.isnan(found.half).all()
    assert found.cautions


def test_each_method_has_an_id_of_its_own() -> None:
    assert len({METHOD, HEADLINE, PLAIN}) == 3
