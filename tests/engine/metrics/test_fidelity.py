"""GS: golden values of METRICS, and what must not change it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.metrics.ceiling import leave_one_out_fidelity
from engine.metrics.fidelity import gram_schmidt_fidelity

SEEDS = st.integers(0, 2**32 - 1)


def gs(captions: object, vector: object) -> float:
    return float(gram_schmidt_fidelity(np.atleast_2d(np.array(vector, float)), np.array(captions, float))[0])


def sample(seed: int, captions: int = 5, dimension: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(captions, dimension)), rng.normal(size=dimension)


@pytest.mark.parametrize(
    ("captions", "vector", "expected"),
    [
        ([(1, 0, 0), (0.6, 0.8, 0)], (1 / 3, 2 / 3, 2 / 3), math.sqrt(5) / 3),
        ([(1, 0, 0), (1, 0, 0)], (0, 1, 0), 0),
        ([(0, 0, 0), (1, 0, 0)], (1 / 3, 2 / 3, 2 / 3), 1 / 3),
        ([(1, 0, 0), (0.5, math.sqrt(3) / 2, 0)], (0, 0.6, 0.8), 0.6),
        (np.eye(3), (0.2, -0.5, 0.7), 1),
    ],
)
def test_golden_values_of_metrics_gs(captions: object, vector: object, expected: float) -> None:
    assert gs(captions, vector) == pytest.approx(expected, abs=1e-12)


def test_no_direction_or_no_captions_give_zero() -> None:
    assert gs(np.eye(3), (0, 0, 0)) == 0
    assert gs(np.empty((0, 3)), (1, 0, 0)) == 0
    assert gs(np.zeros((2, 3)), (1, 0, 0)) == 0


def test_golden_ceiling_of_metrics_gs() -> None:
    units = np.array([(1, 0, 0), (0.6, 0.8, 0), (2 / 3, 1 / 3, 2 / 3)])
    assert leave_one_out_fidelity(units @ units.T) ** 2 == pytest.approx([61 / 125, 61 / 125, 5 / 9], abs=1e-12)


def test_ceiling_of_a_repeated_caption_is_one() -> None:
    units = np.array([(1, 0, 0), (1, 0, 0), (0.6, 0.8, 0)])
    assert leave_one_out_fidelity(units @ units.T) == pytest.approx([1, 1, 0.6], abs=1e-12)


def test_cached_duplicate_in_half_precision_is_no_direction() -> None:
    captions, vector = sample(7, captions=4, dimension=384)
    rounded = (captions[:1] / np.linalg.norm(captions[0])).astype(np.float16)
    assert gs(np.vstack([captions, rounded]), vector) == pytest.approx(gs(captions, vector), abs=1e-4)
    # Counted as a direction, the rounding error would add a random one.
    assert gs(np.vstack([captions, rounded]), rounded[0] - captions[0] / np.linalg.norm(captions[0])) < 0.5


@settings(deadline=None)
@given(SEEDS)
def test_order_scale_and_duplicates_do_not_matter(seed: int) -> None:
    captions, vector = sample(seed)
    rng = np.random.default_rng(seed + 1)
    expected = gs(captions, vector)
    assert gs(captions[rng.permutation(5)], vector) == pytest.approx(expected, abs=1e-10)
    assert gs(captions * rng.uniform(0.01, 100, (5, 1)), vector * rng.uniform(0.01, 100)) == pytest.approx(expected, abs=1e-10)
    assert gs(np.vstack([captions, captions[rng.integers(0, 5, 3)]]), vector) == pytest.approx(expected, abs=1e-10)


@settings(deadline=None)
@given(SEEDS)
def test_only_the_span_matters(seed: int) -> None:
    captions, vector = sample(seed)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(5, 5)))
    assert gs(rotation @ captions, vector) == pytest.approx(gs(captions, vector), abs=1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_is_the_length_of_the_least_squares_projection(seed: int) -> None:
    captions, vector = sample(seed)
    solution, *_ = np.linalg.lstsq(captions.T, vector, rcond=None)
    assert gs(captions, vector) == pytest.approx(np.linalg.norm(captions.T @ solution) / np.linalg.norm(vector), abs=1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_never_below_the_largest_cosine_and_never_lowered_by_a_caption(seed: int) -> None:
    captions, vector = sample(seed)
    cosines = captions @ vector / np.linalg.norm(captions, axis=1) / np.linalg.norm(vector)
    values = [gs(captions[:count], vector) for count in range(1, 6)]
    assert values[-1] >= np.abs(cosines).max() - 1e-12
    assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(values))
    assert 0 <= values[0] <= 1


def test_rounding_never_carries_it_above_one() -> None:
    captions, _ = sample(3, captions=30, dimension=384)
    inside = np.random.default_rng(4).normal(size=(500, 30)) @ captions
    values = gram_schmidt_fidelity(inside, captions)
    assert values.max() <= 1
    assert values.min() == pytest.approx(1, abs=1e-12)


def test_caption_shorter_than_the_zero_norm_is_dropped() -> None:
    assert gs([(1e-12, 0, 0), (0, 1, 0)], (1, 0, 0)) == 0
    assert gs([(1e-11, 0, 0), (0, 1, 0)], (1, 0, 0)) == pytest.approx(1, abs=1e-12)
