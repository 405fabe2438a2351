"""Ratings that the verdicts do not bound: flagged, held by a ridge, without interval; never a silent number."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ratings.cautions import Kind
from engine.ratings.connectivity import comparable, components
from engine.ratings.counts import count
from engine.ratings.fitting import fit, fit_rounds
from engine.ratings.table import RatingTable, rate
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from tests.engine.ratings.verdicts import told


def table(lines: str, times: int = 10, **model: bool) -> RatingTable:
    battles = told(lines, times=times)
    return rate(count(battles), ClusterBootstrap(len(battles), seed=1, resamples=300), **model)


def kinds(found: RatingTable) -> list[Kind]:
    return [caution.kind for caution in found.cautions]


def test_components_are_those_of_who_beat_or_tied_whom() -> None:
    graph = np.zeros((1, 5, 5), dtype=np.bool_)
    for one, two in ((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)):
        graph[0, one, two] = True
    assert components(comparable(graph)[0]).tolist() == [0, 0, 0, 1, 1]


def test_a_long_chain_is_connected_only_once_it_is_closed() -> None:
    graph = np.eye(40, k=1, dtype=np.bool_)[None]
    assert comparable(graph).sum() == 40
    graph[0, 39, 0] = True
    assert comparable(graph).all()


def test_an_undefeated_entrant_is_named_and_the_others_keep_their_differences() -> None:
    assert not table("A>B B>A C>B C>A A>C", position=False, ties=False).cautions  # C lost to A: all connected
    found = table("A>B B>A C>B C>A B<C A<C", position=False, ties=False)
    assert kinds(found) == [Kind.UNDEFEATED, Kind.DISCONNECTED, Kind.WITHHELD]
    assert str(found.cautions[0]).startswith("C never lost or tied")
    assert found.cautions[-1].share == 1.0
    assert np.isnan(found.rating.low).all()
    assert np.isnan(found.ranks.low[2])
    between = dict(zip(zip(found.differences.first, found.differences.second, strict=True), found.differences.estimates.low, strict=True))
    assert np.isfinite(between[0, 1])
    assert np.isnan([between[0, 2], between[1, 2]]).all()


def test_a_winless_entrant_is_named() -> None:
    found = table("A>B B>A A>C B>C", position=False, ties=False)
    assert kinds(found) == [Kind.WINLESS, Kind.DISCONNECTED, Kind.WITHHELD]
    assert found.cautions[0].names == ("C",)


def test_the_ridge_is_the_same_in_every_resample() -> None:
    battles = told("9A>B B>C C>B", times=4)
    fitted = fit(count(battles), position=False, ties=False)
    rounds = fit_rounds(fitted, ClusterBootstrap(len(battles), seed=3, resamples=5))
    assert fitted.ridge == 0.01
    for beta, statistics in zip(rounds.beta, rounds.statistics, strict=True):
        gradient, _ = fitted.model.derivatives(statistics[None], beta[None])
        assert gradient[0] == pytest.approx(0.01 * beta, abs=1e-6)


def test_wins_and_ties_without_a_loss_are_seen_though_the_graph_is_connected() -> None:
    # Davidson's likelihood grows for ever: P(win) 3/5, P(tie) 2/5 and P(loss) 0 fit perfectly.
    found = table("3A>B 3B<A 2A=B 2B=A", times=3)
    assert kinds(found) == [Kind.SEPARATED, Kind.WITHHELD]
    assert np.isnan(found.rating.low).all()
    assert not table("3A>B 3B<A 2A=B 2B=A", times=3, position=False, ties=False).ridge  # as half wins they are bounded


def test_position_and_strength_that_cannot_be_told_apart_are_flagged() -> None:
    found = table("3A>B 2A<B 1A=B")  # A always stood first
    assert kinds(found) == [Kind.UNIDENTIFIED, Kind.WITHHELD]


def test_a_judge_that_always_says_first_bounds_nothing() -> None:
    found = table("A>B B>A")
    assert Kind.SEPARATED in kinds(found)
    assert np.isnan(found.position.mean[0])
    assert np.isnan(found.rating.low).all()


def test_few_lost_resamples_are_told_and_many_withhold_the_interval() -> None:
    people = np.repeat(np.arange(40), 4)
    lines = ["A>B B<A A<B B>A"] * 40
    lines[:5] = ["A>B B<A A<C C>A"] * 5  # only five people bear on C's wins over A
    lines[5:8] = ["A>B B<A A>C C<A"] * 3
    rare = rate(count(told(" ".join(lines), people=people)), ClusterBootstrap(40, seed=1, resamples=2000), position=False, ties=False)
    assert rare.lost > 0
    assert kinds(rare) == [Kind.WITHHELD if rare.lost > 0.05 else Kind.RESAMPLES_LOST]
    assert np.isnan(rare.rating.low).all() == (rare.lost > 0.05)
    assert not rare.ridge


def test_an_entrant_without_verdicts_has_no_rating() -> None:
    battles = told("A>B B>A B>C C>B")
    found = rate(count(battles.of(np.array([True, True, False, False]))), ClusterBootstrap(4, seed=1, resamples=50))
    assert np.isnan(found.rating.mean[2])
    assert Kind.NOT_COMPARED in kinds(found)
    nobody = rate(count(battles.of(np.zeros(4, dtype=np.bool_))), ClusterBootstrap(4, seed=1, resamples=50))
    assert np.isnan(nobody.rating.mean).all()
