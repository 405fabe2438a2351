"""evalica and choix: the same ratings where they are defined, and a warning of ours where they are silently wrong (METRICS, ratings)."""

from __future__ import annotations

import choix
import evalica
import numpy as np
import pytest

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.ratings.cautions import Kind
from engine.ratings.counts import count
from engine.ratings.fitting import fit
from engine.ratings.scale import POINTS
from engine.ratings.table import rate
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from tests.engine.ratings.verdicts import drawn, told

WINNER = {FIRST: evalica.Winner.X, TIE: evalica.Winner.Draw, SECOND: evalica.Winner.Y}
STRENGTH = (0.9, 0.5, 0.1, -0.2, -0.4, -0.9)


def by_evalica(battles: Battles, method=evalica.bradley_terry, **options: float) -> np.ndarray:
    names = range(len(battles.entrants))
    winners = [WINNER[int(result)] for result in battles.result]
    found = method(battles.first.tolist(), battles.second.tolist(), winners, **options)
    return found.scores.reindex(names).to_numpy()


def centred(scores: np.ndarray) -> np.ndarray:
    return POINTS * (np.log(scores) - np.log(scores).mean())


def test_bradley_terry_agrees_with_evalica() -> None:
    battles = drawn(1, 40, 12, STRENGTH)
    ours = POINTS * fit(count(battles), position=False, ties=False).beta
    assert ours == pytest.approx(centred(by_evalica(battles, tolerance=1e-13, limit=100_000)), abs=1e-5)


def test_bradley_terry_agrees_with_choix() -> None:
    battles = drawn(2, 40, 12, STRENGTH, nu=(0.0, 0.0))
    ours = POINTS * fit(count(battles), position=False, ties=False).beta
    wins = np.zeros((6, 6))
    first_won = battles.result == FIRST
    winner, loser = np.where(first_won, battles.first, battles.second), np.where(first_won, battles.second, battles.first)
    np.add.at(wins, (winner, loser), 1)
    assert ours == pytest.approx(POINTS * choix.ilsr_pairwise_dense(wins, tol=1e-12), abs=1e-5)


def test_davidsons_ties_agree_with_newmans_in_evalica() -> None:
    battles = drawn(3, 40, 12, STRENGTH, position=(0.0,), nu=(0.6,))
    ours = POINTS * fit(count(battles), position=False).beta[:6]
    assert ours == pytest.approx(centred(by_evalica(battles, evalica.newman, tolerance=1e-13, limit=100_000)), abs=1e-5)


def test_an_undefeated_entrant_gets_the_same_score_as_all_from_evalica_and_a_flag_from_us() -> None:
    battles = told("A>B A>C B>C B<C", times=10)
    assert set(by_evalica(battles)) == {1e-6}  # without any warning, which would be an error here
    table = rate(count(battles), ClusterBootstrap(40, seed=1, resamples=200))
    assert [caution.kind for caution in table.cautions] == [Kind.UNDEFEATED, Kind.DISCONNECTED, Kind.WITHHELD]
    assert table.cautions[0].names == ("A",)
    assert table.ridge == 0.01
    assert table.rating.mean[0] > table.rating.mean[1]
    assert np.isnan(table.rating.low).all()


def test_an_undefeated_entrant_gets_a_number_from_choix_and_a_flag_from_us() -> None:
    theirs = choix.opt_pairwise(3, [(0, 1), (0, 2), (1, 2), (2, 1)])
    assert np.isfinite(theirs).all()  # where its optimiser happened to stop, on the way to infinity
    assert fit(count(told("A>B A>C B>C C>B"))).cautions[0].kind is Kind.UNDEFEATED


def test_groups_that_never_met_are_compared_by_both_and_told_apart_by_us() -> None:
    battles = told("3A>B 1A<B 3C>D 3C<D")
    assert np.isfinite(centred(by_evalica(battles))).all()
    assert np.isfinite(choix.opt_pairwise(4, [(0, 1)] * 3 + [(1, 0)] + [(2, 3)] * 3 + [(3, 2)] * 3)).all()
    fitted = fit(count(battles), position=False, ties=False)
    (caution,) = fitted.cautions
    assert caution.kind is Kind.DISCONNECTED
    assert caution.names == ("A + B", "C + D")
