"""CP: golden values of METRICS, the bounds of its smooth form, and what no topic means."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.metrics.cp import literal_distances, power_proximity, proximity, unit_centroids, unit_distances

LITERAL = literal_distances(np.array([[1 / 3, 2 / 3]]), np.array([(1, 0), (0, 1), (0.6, 0.8)]))
UNIT = unit_distances(np.array([[1 / 3, 2 / 3, 2 / 3]]) @ np.array([(1, 0, 0), (0, 1, 0), (0.6, 0.8, 0)]).T)


def test_golden_distances_of_metrics_cp() -> None:
    assert LITERAL[0] == pytest.approx([8 / 9, 2 / 9, 4 / 45], abs=1e-12)
    assert UNIT[0] == pytest.approx([4 / 3, 2 / 3, 8 / 15], abs=1e-12)


def test_golden_values_of_metrics_cp() -> None:
    assert proximity(LITERAL)[0] == pytest.approx(0.914947228730, abs=1e-12)
    assert proximity(UNIT)[0] == pytest.approx(0.586646219510, abs=1e-12)


@pytest.mark.parametrize(
    ("distances", "t", "expected"),
    [
        (LITERAL, 1, 0.708932307385),
        (LITERAL, 0.5, 0.741017798976),
        (LITERAL, 0.1, 0.839182294204),
        (LITERAL, 0.05, 0.868957806258),
        (LITERAL, 0.01, 0.904950533783),
        (UNIT, 1, 0.454553492219),
        (UNIT, 0.05, 0.557158703746),
    ],
)
def test_golden_power_means_of_metrics_cp(distances: np.ndarray, t: float, expected: float) -> None:
    assert power_proximity(distances, t)[0] == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(0, 4), min_size=1, max_size=8), st.floats(1e-4, 2))
def test_power_mean_stays_within_its_bounds(distances: list[float], t: float) -> None:
    row = np.array([distances])
    cp, smooth = proximity(row)[0], power_proximity(row, t)[0]
    assert len(distances) ** -t * cp * (1 - 1e-12) <= smooth <= cp * (1 + 1e-12)


def test_default_temperature_is_a_twentieth() -> None:
    assert power_proximity(UNIT)[0] == power_proximity(UNIT, 0.05)[0]


def test_no_topic_is_no_proximity() -> None:
    assert proximity(np.empty((2, 0))).tolist() == [0, 0]


def test_topic_whose_captions_cancel_has_no_direction() -> None:
    units = np.array([(1.0, 0), (-1, 0), (0, 1)])
    weights = np.array([(0.5, 0.5, 0), (0, 0, 1.0)])
    centroids = unit_centroids(weights, weights @ (units @ units.T)) @ units
    assert centroids.tolist() == [[0, 0], [0, 1]]
    assert proximity(unit_distances(np.array([[1.0, 0]]) @ centroids.T))[0] == pytest.approx(math.exp(-2))
