"""Top-2 under its three definitions."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.top_two import top_two

# METRICS, agreement and effect
HUMANS = np.array([(1.6, 2.5, 2.7, 3.3), (2, 3, 1, 4), (1, 4, 3, 2)])
METRIC = np.array([(0.33, 0.40, 0.42, 0.46), (0.3, 0.35, 0.45, 0.5), (0.3, 0.4, 0.35, 0.5)])


def test_the_three_definitions_match_the_golden_values() -> None:
    found = top_two(np.arange(3), HUMANS, METRIC)
    assert found.hit.value == pytest.approx(2 / 3, abs=1e-12)
    assert found.set.value == pytest.approx(1 / 3, abs=1e-12)
    assert found.overlap.value == pytest.approx(2 / 3, abs=1e-12)
    assert found.chance == (0.5, 1 / 6, 0.5)


def test_a_metric_that_ties_everything_gets_what_chance_gives() -> None:
    found = top_two(np.arange(3), HUMANS, np.full_like(METRIC, 0.4))
    assert (found.hit.value, found.set.value, found.overlap.value) == pytest.approx(found.chance)


def test_ties_count_as_the_mean_over_all_ways_to_break_them() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    humans, metric = rng.integers(0, 3, (40, 5)).astype(float), rng.integers(0, 3, (40, 5)).astype(float)
    found = top_two(np.arange(40), humans, metric)
    hit, same, overlap = [], [], []
    for _ in range(3000):
        first = np.argsort(humans + rng.random(humans.shape) * 1e-3, axis=1)[:, -2:]
        second = np.argsort(metric + rng.random(metric.shape) * 1e-3, axis=1)[:, -2:]
        shared = (first[:, :, None] == second[:, None, :]).any(axis=1)
        hit.append(shared[:, -1].mean())
        same.append(shared.all(axis=1).mean())
        overlap.append(shared.mean())
    assert (found.hit.value, found.set.value, found.overlap.value) == pytest.approx(
        (np.mean(hit), np.mean(same), np.mean(overlap)), abs=5e-3
    )


def test_cases_without_every_score_are_left_out_and_shares_have_intervals_over_people() -> None:
    humans, metric = np.tile(HUMANS, (20, 1)), np.tile(METRIC, (20, 1))
    humans[0, 0] = np.nan
    found = top_two(np.arange(60) // 3, humans, metric)
    assert (found.hit.n, found.hit.clusters) == (59, 20)
    assert found.hit.low < found.hit.value < found.hit.high


def test_one_system_has_no_top_two() -> None:
    with pytest.raises(ValueError, match="two systems"):
        top_two(np.arange(3), HUMANS[:, :1], METRIC[:, :1])


def test_two_systems_are_always_the_top_two() -> None:
    found = top_two(np.arange(3), HUMANS[:, :2], METRIC[:, 1::-1])
    assert (found.hit.value, found.set.value, found.overlap.value) == (1.0, 1.0, 1.0)
    assert found.chance == (1.0, 1.0, 1.0)
