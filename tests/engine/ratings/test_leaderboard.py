"""The whole leaderboard: one call, everything that a report says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.ratings.cautions import Kind
from engine.ratings.counts import count
from engine.ratings.leaderboard import Leaderboard, leaderboard
from engine.ratings.table import rate
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Estimates
from tests.engine.ratings.verdicts import drawn

STRENGTH = (0.8, 0.3, -0.2, -0.9)
POSITION, NU = (0.6, -0.3, 0.0), (0.6, 0.1, 0.3)
TRUTH = 1500 + 400 / np.log(10) * np.array(STRENGTH)


def near(found: Estimates, truth: Sequence[float] | np.ndarray) -> bool:
    """Whether every truth lies within 1.5 times its 95 % interval: about three standard errors."""
    return bool((np.abs(found.mean - truth) <= 1.5 * (found.high - found.low) / 2).all())


@pytest.fixture(scope="module")
def found() -> Leaderboard:
    return leaderboard(drawn(3, 80, 10, STRENGTH, POSITION, NU), ClusterBootstrap(80, seed=1, resamples=500), orders=20)


def test_known_strengths_positions_and_ties_are_recovered(found: Leaderboard) -> None:
    overall = found.overall
    assert near(overall.rating, TRUTH)
    assert near(overall.position, POSITION)
    assert near(overall.tie, NU)
    assert overall.rating.mean.mean() == pytest.approx(1500)
    assert overall.ranks.rank.tolist() == [1, 2, 3, 4]
    assert not found.cautions


def test_each_judge_has_ratings_of_its_own_with_wider_intervals(found: Leaderboard) -> None:
    for number, table in enumerate(found.by_judge):
        assert table.judges == (f"judge {number}",)
        assert (table.rating.high - table.rating.low > found.overall.rating.high - found.overall.rating.low).all()
        assert len(table.position.mean) == 1


def test_leaving_a_judge_out_moves_ratings_within_its_range(found: Leaderboard) -> None:
    assert (found.without_one_low < found.overall.rating.mean).all()
    assert (found.overall.rating.mean < found.without_one_high).all()


def test_methods_carry_their_own_ids_and_the_plain_one_no_terms(found: Leaderboard) -> None:
    assert found.overall.method != found.plain.method
    assert len(found.plain.position.mean) == 0
    assert len(found.plain.tie.mean) == 0


def test_simultaneous_intervals_are_wider_than_each_ones_own(found: Leaderboard) -> None:
    pairs = found.overall.differences
    assert (pairs.family.low < pairs.estimates.low).all()
    assert (pairs.family.high > pairs.estimates.high).all()
    assert pairs.estimates.mean[2] == pytest.approx(found.overall.rating.mean[0] - found.overall.rating.mean[3])


def test_equal_resamples_give_the_same_leaderboard(found: Leaderboard) -> None:
    again = leaderboard(drawn(3, 80, 10, STRENGTH, POSITION, NU), ClusterBootstrap(80, seed=1, resamples=500), orders=20)
    assert np.array_equal(again.overall.rating.low, found.overall.rating.low)
    assert np.array_equal(again.online.mean, found.online.mean)


def test_a_judge_that_always_says_first_is_named_and_left_out_of_the_whole() -> None:
    battles = drawn(4, 40, 10, STRENGTH, POSITION, NU)
    battles.result[battles.judge == 2] = 0
    found = leaderboard(battles, ClusterBootstrap(40, seed=1, resamples=200), orders=3)
    assert found.overall.judges == ("judge 0", "judge 1")
    assert found.cautions[0].kind is Kind.ONE_SIDED
    assert found.cautions[0].names == ("judge 2",)
    assert np.isfinite(found.overall.rating.low).all()
    assert Kind.WITHHELD in [caution.kind for caution in found.by_judge[2].cautions]
    assert found.rates.always[2] == "first"


def test_a_judge_without_verdicts_is_named() -> None:
    battles = drawn(5, 40, 10, STRENGTH, POSITION, NU)
    found = leaderboard(battles.of(battles.judge != 1), ClusterBootstrap(40, seed=1, resamples=200), orders=3)
    assert [(caution.kind, caution.names) for caution in found.cautions] == [(Kind.NO_VERDICT, ("judge 1",))]
    assert np.isnan(found.by_judge[1].rating.mean).all()


def test_no_verdicts_at_all_give_an_empty_leaderboard() -> None:
    battles = drawn(6, 5, 4, STRENGTH)
    found = leaderboard(battles.of(np.zeros(len(battles), dtype=np.bool_)), ClusterBootstrap(5, seed=1, resamples=50), orders=3)
    assert np.isnan(found.overall.rating.mean).all()
    assert not found.sequences.stop


def test_few_people_get_bootstrap_t_and_fewer_than_five_no_interval() -> None:
    def table(people: int):
        return rate(count(drawn(7, people, 60, STRENGTH)), ClusterBootstrap(people, seed=1, resamples=400))

    twelve, four = table(12), table(4)
    assert str(twelve.cautions[0]).startswith("12 people: intervals are bootstrap-t")
    assert near(twelve.rating, TRUTH)
    assert np.isnan(four.rating.low).all()
    assert np.isfinite(four.rating.mean).all()


def test_resamples_of_other_people_are_refused() -> None:
    with pytest.raises(ValueError, match="80 clusters of verdicts, but resamples of 7"):
        leaderboard(drawn(3, 80, 2, STRENGTH), ClusterBootstrap(7, seed=1, resamples=10))
