"""Verdicts as counts: nothing is lost, and rounds are weighted sums however they are computed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from engine.ratings import counts as module
from engine.ratings.counts import count, resampled_sums
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from tests.engine.ratings.verdicts import drawn, told


def test_cells_hold_every_verdict_once() -> None:
    found = count(told("3A>B 1A=B 2B>A 1A<B 1B=C"))
    cells = {(a, b): row.tolist() for a, b, row in zip(found.first.tolist(), found.second.tolist(), found.totals, strict=True)}
    assert cells == {(0, 1): [3, 1, 1], (1, 0): [2, 0, 0], (1, 2): [0, 1, 0]}


def test_counting_in_pieces_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    battles = drawn(1, 20, 15, (0.5, 0.0, -0.5))
    whole = count(battles)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 37)
    pieces = count(battles)
    assert np.array_equal(whole.per_cluster.toarray(), pieces.per_cluster.toarray())
    assert np.array_equal(whole.judge, pieces.judge)


def test_rounds_are_the_same_whether_counts_are_dense_or_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.Generator(np.random.PCG64(2))
    values = np.where(rng.random((300, 50)) < 0.03, rng.integers(1, 5, (300, 50)), 0).astype(np.float64)
    bootstrap = ClusterBootstrap(300, seed=1, resamples=600)
    expected = bootstrap.weights.astype(np.float64) @ values
    assert np.array_equal(resampled_sums(bootstrap, sparse.csr_array(values)), expected)
    monkeypatch.setattr(module, "_SPARSE_PAYS", 1000)
    assert np.array_equal(resampled_sums(bootstrap, sparse.csr_array(values)), expected)


def test_judges_and_entrants_can_be_taken_out() -> None:
    found = count(drawn(3, 10, 20, (0.5, 0.0, -0.5)))
    of_one = found.of_judges(np.array([False, True]))
    assert of_one.judges == ("judge 1",)
    assert of_one.totals.sum() == 400
    without = found.of_entrants(np.array([True, False, True]))
    assert without.entrants == ("e0", "e2")
    assert set(without.first.tolist()) == {0, 1}
