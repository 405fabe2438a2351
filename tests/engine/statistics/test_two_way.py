"""The two-way bootstrap: what it covers, when it is one-way, and what it withholds."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_scores import OF_TASK, TRUTH, simulated

from engine.statistics.crossing import Crossing, cells_of
from engine.statistics.two_way import TwoWayBootstrap

ONE_TASK = np.zeros(15, dtype=np.int64)


@pytest.mark.parametrize("one_task", [False, True])
@pytest.mark.parametrize("people", [60, 200])
def test_interval_covers_the_true_mean_and_difference_about_as_often_as_it_says(people: int, one_task: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(40))
    covered = np.zeros(2)
    rounds = 120
    truth = np.append(TRUTH + (OF_TASK[0] if one_task else 0.0), TRUTH[4] - TRUTH[0])
    for seed in range(rounds):
        data = simulated(rng, people)
        chosen = data.in_task(0) if one_task else np.ones(len(data.scores), dtype=np.bool_)
        values = np.column_stack([data.scores, data.scores[:, 4] - data.scores[:, 0]])[chosen]
        found = TwoWayBootstrap(people, data.task_of_family, seed, resamples=300).mean(data.where.of(chosen), values)
        inside = (found.low <= truth) & (truth <= found.high)
        covered += inside[:-1].mean(), inside[-1]
    assert (covered / rounds >= 0.90).all()
    assert (covered / rounds <= 0.98).all()


def test_people_alone_would_cover_far_too_little_where_families_differ() -> None:
    rng = np.random.Generator(np.random.PCG64(41))
    one_way, two_way = 0, 0
    for seed in range(60):
        data = simulated(rng, 200, family=0.06)
        chosen = data.in_task(0)
        bootstrap = TwoWayBootstrap(200, data.task_of_family, seed, resamples=300)
        where, values, truth = data.where.of(chosen), data.scores[chosen][:, :1], TRUTH[0] + OF_TASK[0]
        people = bootstrap.people.mean(where.cluster, values)
        both = bootstrap.mean(where, values)
        one_way += bool(people.low[0] <= truth <= people.high[0])
        two_way += bool(both.low[0] <= truth <= both.high[0])
    assert one_way <= 42
    assert two_way >= 53


def test_error_is_that_of_the_noise_alone_where_neither_people_nor_families_differ() -> None:
    rng = np.random.Generator(np.random.PCG64(42))
    values = rng.normal(size=(4000, 1))
    cells = cells_of(Crossing(np.repeat(np.arange(400), 10), rng.integers(0, 60, 4000)), np.zeros(60, dtype=np.int64), values)
    assert cells.error()[0] == pytest.approx(1 / np.sqrt(4000), rel=0.2)


def test_error_matches_the_sums_of_squares_computed_by_hand() -> None:
    # Two people x two families, one case each: residuals -3, -1, 1, 3 around 4.
    where = Crossing(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    cells = cells_of(where, np.zeros(2, dtype=np.int64), np.array([[1.0], [3.0], [5.0], [7.0]]))
    people = 2 * (4**2 + 4**2)
    families = (1 / 2) / (1 / 2) ** 2 * (2**2 + 2**2)
    each = 4 / 3 * (9 + 1 + 1 + 9)
    assert cells.error()[0] == pytest.approx(np.sqrt(people + families - each) / 4, abs=1e-12)


def test_differences_between_tasks_are_no_sampling_error() -> None:
    data = simulated(np.random.Generator(np.random.PCG64(43)), 60)
    bootstrap = TwoWayBootstrap(60, data.task_of_family, seed=1, resamples=300)
    apart = data.scores + np.array([5.0, 0.0, -3.0, -2.0])[data.task][:, None]
    plain, moved = bootstrap.mean(data.where, data.scores), bootstrap.mean(data.where, apart)
    np.testing.assert_allclose(moved.high - moved.low, plain.high - plain.low, rtol=1e-9)


def test_one_family_is_no_sample_of_families_and_the_interval_is_one_way() -> None:
    rng = np.random.Generator(np.random.PCG64(44))
    values, person = rng.normal(size=(80, 1)), np.repeat(np.arange(40), 2)
    bootstrap = TwoWayBootstrap(40, np.zeros(1, dtype=np.int64), seed=3)
    found = bootstrap.mean(Crossing(person, np.zeros(80, dtype=np.int64)), values)
    alone = bootstrap.people.mean(person, values)
    assert (found.low[0], found.high[0]) == (alone.low[0], alone.high[0])
    assert list(found.families) == [0]


@pytest.mark.parametrize(("people", "families", "given"), [(4, 10, False), (40, 4, False), (5, 5, True), (40, 5, True)])
def test_no_interval_is_given_under_five_people_or_under_five_families(people: int, families: int, given: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(45))
    where = Crossing(np.repeat(np.arange(people), families), np.tile(np.arange(families), people))
    found = TwoWayBootstrap(people, np.zeros(families, dtype=np.int64), seed=1).mean(where, rng.normal(size=(people * families, 1)))
    assert bool(np.isfinite(found.low[0])) == given
    assert np.isfinite(found.mean[0])
    assert (found.clusters[0], found.families[0]) == (people, families)


def test_fewer_families_give_a_wider_interval_from_the_same_error() -> None:
    widths = []
    for families in (6, 15, 60):
        rng = np.random.Generator(np.random.PCG64(46))
        where = Crossing(np.arange(600), np.arange(600) % families)
        values = rng.normal(size=(600, 40))
        bootstrap = TwoWayBootstrap(600, np.zeros(families, dtype=np.int64), seed=1)
        found = bootstrap.resampled(where, values)
        estimates = found.estimates()
        widths.append(float(((estimates.high - estimates.low) / found.error / 2).mean()))
    # Student's t: 2.571, 2.145, 2.001
    assert widths == pytest.approx([2.571, 2.145, 2.001], rel=0.06)


def test_missing_values_are_left_out_and_counted_and_columns_keep_their_own_cases() -> None:
    data = simulated(np.random.Generator(np.random.PCG64(47)), 60)
    values = data.scores.copy()
    values[:100, 1] = np.nan
    values[:, 2] = np.nan
    bootstrap = TwoWayBootstrap(60, data.task_of_family, seed=1, resamples=200)
    found = bootstrap.mean(data.where, values)
    assert list(found.n) == [240, 140, 0, 240, 240]
    assert found.clusters[1] == 35
    assert np.isnan([found.mean[2], found.low[2]]).all()
    kept = np.isfinite(values[:, 1])
    alone = bootstrap.mean(data.where.of(kept), values[kept][:, [1]])
    assert found.low[1] == pytest.approx(alone.low[0], abs=1e-12)


def test_two_people_of_one_cluster_with_one_query_are_one_cell() -> None:
    rng = np.random.Generator(np.random.PCG64(48))
    once = rng.normal(size=(90, 1))
    person, family = np.arange(90) % 45, np.arange(90) % 15
    bootstrap = TwoWayBootstrap(45, ONE_TASK, seed=1)
    alone = bootstrap.mean(Crossing(person, family), once)
    twice = bootstrap.mean(Crossing(np.tile(person, 2), np.tile(family, 2)), np.tile(once, (2, 1)))
    assert twice.high[0] - twice.low[0] == pytest.approx(alone.high[0] - alone.low[0], rel=0.02)


def test_a_constant_has_an_interval_without_width_and_equal_seeds_give_equal_intervals() -> None:
    data = simulated(np.random.Generator(np.random.PCG64(49)), 40)
    one, same, other = (TwoWayBootstrap(40, data.task_of_family, seed, 200).mean(data.where, data.scores) for seed in (1, 1, 2))
    assert one.low[0] == same.low[0]
    assert one.low[0] != other.low[0]
    constant = TwoWayBootstrap(40, data.task_of_family, 1, 200).mean(data.where, np.full((160, 1), 0.3))
    assert constant.low[0] == pytest.approx(0.3, abs=1e-12)
    assert constant.high[0] == pytest.approx(0.3, abs=1e-12)
