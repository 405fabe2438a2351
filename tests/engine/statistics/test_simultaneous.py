"""All pairs at once: what their intervals cover together, and how seldom Holm rejects what is true."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from simulated_scores import TRUTH, simulated

from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.simultaneous import family_of
from engine.statistics.two_way import TwoWayBootstrap

ONE, TWO = (list(side) for side in zip(*combinations(range(len(TRUTH)), 2), strict=True))
LEAD = TRUTH[ONE] - TRUTH[TWO]


@pytest.mark.parametrize("one_task", [False, True])
def test_simultaneous_intervals_cover_all_pairs_and_holm_rejects_no_true_null_more_often_than_it_says(one_task: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(50))
    rounds, together, each, rejected, found_out = 120, 0, 0, 0, 0.0
    for seed in range(rounds):
        data = simulated(rng, 60)
        chosen = data.in_task(0) if one_task else np.ones(len(data.scores), dtype=np.bool_)
        scores = data.scores[chosen]
        pairs = TwoWayBootstrap(60, data.task_of_family, seed, resamples=300).resampled(
            data.where.of(chosen), scores[:, ONE] - scores[:, TWO]
        )
        own, family = pairs.estimates(), family_of(pairs)
        together += bool(((family.low <= LEAD) & (family.high >= LEAD)).all())
        each += bool(((own.low <= LEAD) & (own.high >= LEAD)).all())
        rejected += bool((family.holm[LEAD == 0] <= 0.05).any())
        found_out += float((family.holm[LEAD != 0] <= 0.05).mean())
    assert together / rounds >= 0.89
    assert each / rounds < together / rounds - 0.05  # single intervals do not hold for all pairs at once
    assert rejected / rounds <= 0.10
    assert found_out / rounds >= 0.4


def test_a_family_of_one_is_its_own_interval_and_p_value() -> None:
    values = np.random.Generator(np.random.PCG64(51)).normal(0.3, 1.0, size=(80, 1))
    found = ClusterBootstrap(80, seed=1).resampled(np.arange(80), values)
    own, family = found.estimates(), family_of(found)
    assert family.high[0] - family.low[0] == pytest.approx(own.high[0] - own.low[0], rel=0.05)
    assert family.holm[0] == family.p[0]
    assert (family.p[0] <= 0.05) == (not own.low[0] <= 0 <= own.high[0])


def test_equal_columns_cost_nothing_and_independent_ones_widen_every_interval() -> None:
    rng = np.random.Generator(np.random.PCG64(52))
    values = rng.normal(size=(100, 20))
    bootstrap = ClusterBootstrap(100, seed=1)
    alone = family_of(bootstrap.resampled(np.arange(100), values[:, :1]))
    same = family_of(bootstrap.resampled(np.arange(100), np.repeat(values[:, :1], 20, axis=1)))
    many = family_of(bootstrap.resampled(np.arange(100), values))
    assert same.high[0] == pytest.approx(alone.high[0], abs=1e-12)
    assert many.high[0] - many.low[0] > 1.3 * (alone.high[0] - alone.low[0])


def test_methods_that_never_differ_have_p_one_and_a_lead_without_spread_the_least_p() -> None:
    values = np.stack([np.zeros(50), np.full(50, 0.25)], axis=1)
    found = family_of(ClusterBootstrap(50, seed=1, resamples=199).resampled(np.arange(50), values))
    assert found.p.tolist() == [1.0, 1 / 200]
    assert found.holm.tolist() == [1.0, 2 / 200]
    assert found.low.tolist() == found.high.tolist() == [0.0, 0.25]


def test_columns_with_too_few_clusters_get_nothing_and_do_not_count_among_the_comparisons() -> None:
    values = np.random.Generator(np.random.PCG64(53)).normal(0.5, 1.0, size=(60, 2))
    values[3:, 1] = np.nan
    bootstrap = ClusterBootstrap(60, seed=1)
    both, alone = family_of(bootstrap.resampled(np.arange(60), values)), family_of(bootstrap.resampled(np.arange(60), values[:, :1]))
    assert np.isnan([both.low[1], both.p[1], both.holm[1]]).all()
    assert both.holm[0] == alone.holm[0]
