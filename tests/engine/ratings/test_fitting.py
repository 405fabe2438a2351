"""The fit: its derivatives, its resamples, and what must not change it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ratings.battles import Battles
from engine.ratings.counts import count
from engine.ratings.davidson import Davidson
from engine.ratings.fitting import fit, fit_rounds
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from tests.engine.ratings.verdicts import drawn, taken

STRENGTH = (0.7, 0.2, -0.1, -0.8)
SEEDS = st.integers(0, 10_000)
few = settings(max_examples=15, deadline=None)


def log_likelihood(battles: Battles, beta: np.ndarray) -> float:
    """Term by term, from METRICS."""
    m = len(battles.entrants)
    x = beta[battles.first] - beta[battles.second] + beta[m + battles.judge]
    nu = np.exp(beta[m + len(battles.judges) + battles.judge])
    shares = np.stack([np.exp(x / 2), nu, np.exp(-x / 2)])
    return float(np.log(shares[battles.result, np.arange(len(battles))] / shares.sum(axis=0)).sum())


def test_derivatives_are_those_of_the_likelihood() -> None:
    battles = drawn(1, 5, 6, STRENGTH)
    model = Davidson(count(battles))
    totals = np.asarray(model.statistics(count(battles).per_cluster).sum(axis=0))[None]
    beta = np.random.Generator(np.random.PCG64(2)).normal(size=model.parameters) / 2
    gradient, information = model.derivatives(totals, beta[None])
    steps = 1e-4 * np.eye(model.parameters)
    slopes = [(log_likelihood(battles, beta + step) - log_likelihood(battles, beta - step)) / 2e-4 for step in steps]
    assert gradient[0] == pytest.approx(slopes, abs=1e-5)
    bend = [
        (model.derivatives(totals, (beta - step)[None])[0] - model.derivatives(totals, (beta + step)[None])[0])[0] / 2e-4 for step in steps
    ]
    information[0, :4, :4] -= len(battles) / 16  # the curvature that fixes the common level
    assert information[0] == pytest.approx(np.array(bend), abs=1e-4)


@pytest.mark.parametrize("headline", [True, False])
def test_each_resample_is_the_fit_of_the_verdicts_that_it_drew(headline: bool) -> None:
    battles = drawn(3, 25, 6, STRENGTH)
    bootstrap = ClusterBootstrap(25, seed=4, resamples=6)
    rounds = fit_rounds(fit(count(battles), position=headline, ties=headline), bootstrap)
    for weights, beta in zip(bootstrap.weights, rounds.beta, strict=True):
        rows = np.repeat(np.arange(len(battles)), weights[battles.cluster])
        assert beta == pytest.approx(fit(count(taken(battles, rows)), position=headline, ties=headline).beta, abs=1e-6)


@few
@given(SEEDS)
def test_names_do_not_matter(seed: int) -> None:
    battles = drawn(seed, 10, 20, STRENGTH)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(4)
    renamed = replace(battles, first=order[battles.first], second=order[battles.second])
    before, after = fit(count(battles)).beta, fit(count(renamed)).beta
    assert after[order] == pytest.approx(before[:4], abs=1e-8)
    assert after[4:] == pytest.approx(before[4:], abs=1e-8)


@few
@given(SEEDS)
def test_naming_the_sides_the_other_way_negates_the_position_terms_only(seed: int) -> None:
    battles = drawn(seed, 10, 20, STRENGTH)
    before = fit(count(battles)).beta
    after = fit(count(replace(battles, first=battles.second, second=battles.first, result=2 - battles.result))).beta
    assert after == pytest.approx(before * np.array([1, 1, 1, 1, -1, -1, 1, 1]), abs=1e-8)


@few
@given(SEEDS)
def test_neither_the_order_of_rows_nor_saying_all_twice_moves_the_estimate(seed: int) -> None:
    battles = drawn(seed, 10, 20, STRENGTH)
    rows = np.random.Generator(np.random.PCG64(seed)).permutation(np.tile(np.arange(len(battles)), 2))
    assert fit(count(taken(battles, rows))).beta == pytest.approx(fit(count(battles)).beta, abs=1e-8)


def test_strengths_positions_and_ties_are_recovered_from_many_verdicts() -> None:
    fitted = fit(count(drawn(5, 400, 60, STRENGTH)))
    assert fitted.beta == pytest.approx([*STRENGTH, 0.4, -0.2, np.log(0.5), np.log(0.2)], abs=0.05)
    assert not fitted.cautions


def test_a_judge_without_ties_has_nu_nought_and_the_fit_of_the_model_without_them() -> None:
    battles = drawn(6, 20, 20, STRENGTH, position=(0.3,), nu=(0.0,))
    assert fit(count(battles)).beta[:5] == pytest.approx(fit(count(battles), ties=False).beta, abs=1e-9)
