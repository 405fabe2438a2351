"""Topic clusters: the number, the start, and independence from the captions' order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.metrics.clusters import canonical_order, centroid_weights, cluster, cluster_count, cluster_subsets, fill_empty
from engine.metrics.memory import unit_rows

SEEDS = st.integers(0, 2**32 - 1)


def unit(vectors: np.ndarray) -> np.ndarray:
    return unit_rows(vectors, 1e-12)[0]


def partition(captions: list[str], vectors: np.ndarray) -> set[frozenset[str]]:
    """The clusters as sets of captions."""
    units = unit(vectors)
    order = canonical_order(captions, units)
    rows = units[order]
    labels = cluster(rows @ rows.T, cluster_count(len(rows), len(set(captions))))
    groups: dict[int, set[str]] = {}
    for label, index in zip(labels.tolist(), order, strict=True):
        groups.setdefault(label, set()).add(captions[index])
    return {frozenset(group) for group in groups.values()}


@pytest.mark.parametrize(
    ("captions", "distinct", "expected"), [(0, 0, 0), (1, 1, 1), (2, 2, 1), (5, 5, 2), (30, 30, 4), (30, 3, 3), (200, 200, 8)]
)
def test_number_of_clusters(captions: int, distinct: int, expected: int) -> None:
    assert cluster_count(captions, distinct) == expected


def test_finds_topics_that_are_far_apart() -> None:
    rng = np.random.default_rng(3)
    vectors = np.repeat(np.eye(4, 12), 8, axis=0) + 0.05 * rng.normal(size=(32, 12))
    captions = [f"topic {index // 8} post {index}" for index in range(32)]
    assert partition(captions, vectors) == {frozenset(captions[start : start + 8]) for start in range(0, 32, 8)}


@settings(deadline=None)
@given(SEEDS, st.integers(1, 14), st.integers(0, 3))
def test_order_of_captions_does_not_matter(seed: int, count: int, repeated: int) -> None:
    rng = np.random.default_rng(seed)
    captions = [f"post {index}" for index in range(count)]
    vectors = rng.normal(size=(count, 6))
    again = rng.integers(0, count, repeated)
    captions, vectors = captions + [captions[index] for index in again], np.vstack([vectors, vectors[again]])
    order = rng.permutation(len(captions))
    assert partition([captions[index] for index in order], vectors[order]) == partition(captions, vectors)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 20))
def test_a_fixed_point_of_lloyd_without_empty_clusters(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows = unit(rng.normal(size=(count, 5)))
    wanted = cluster_count(count, count)
    labels = cluster(rows @ rows.T, wanted)
    assert set(labels.tolist()) == set(range(wanted))
    centres = centroid_weights(labels) @ rows
    distances = ((rows[:, None] - centres[None]) ** 2).sum(axis=2)
    assert np.all(distances[np.arange(count), labels] <= distances.min(axis=1) + 1e-9)


@settings(deadline=None)
@given(SEEDS, st.integers(2, 12))
def test_many_subsets_at_once_cluster_as_each_alone(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows = unit(rng.normal(size=(count, 5)))
    gram = rows @ rows.T
    present = rng.random((6, count)) < 0.7
    present[:, 0] = True
    counts = np.array([cluster_count(int(stays.sum()), int(stays.sum())) for stays in present])
    together = cluster_subsets(gram[None], present, counts)
    for labels, stays, wanted in zip(together, present, counts, strict=True):
        assert labels[stays].tolist() == cluster(gram[np.ix_(stays, stays)], int(wanted)).tolist()
        assert (labels[~stays] == -1).all()


def test_coinciding_captions_open_one_cluster() -> None:
    # Two texts, one vector: an uncased encoder gives the same to "Tea" and "tea".
    rows = np.repeat([[1.0, 0], [0, 1]], 4, axis=0)
    assert cluster(rows @ rows.T, 4).tolist() in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)
    assert cluster(np.ones((5, 5)), 3).tolist() == [0] * 5


def test_an_emptied_cluster_takes_the_farthest_caption() -> None:
    """Starts that no caption stays with: after each refill every wanted cluster still has a member."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        rows = unit(rng.normal(size=(12, 2)))
        assert len(set(cluster(rows @ rows.T, 6).tolist())) == 6


def test_lone_surrogates_and_any_script_have_an_order() -> None:
    texts = ["\ud800", "一个女孩", "", "emoji 🌄"]
    assert sorted(canonical_order(texts, np.eye(4))) == [0, 1, 2, 3]


def test_refill_takes_the_farthest_caption_and_empties_no_other_cluster() -> None:
    labels = np.array([[0, 0, 0, 1, -1]])
    distances = np.array([[[0.1, 0.9, 0.4, 9, 9], [9, 9, 9, 2.0, 9], [9, 9, 9, 9, 9]]])
    fill_empty(labels, distances, np.array([[True, True, True]]))
    assert labels.tolist() == [[0, 2, 0, 1, -1]]
    fill_empty(labels, distances, np.array([[True, True, False]]))
    assert labels.tolist() == [[0, 2, 0, 1, -1]]


@settings(deadline=None)
@given(SEEDS, st.integers(4, 16))
def test_ties_are_decided_by_text_and_never_by_order_or_rounding(seed: int, count: int) -> None:
    """Captions that are all equally far apart: every choice is a tie."""
    rng = np.random.default_rng(seed)
    captions = [f"post {index}" for index in range(count)]
    expected = partition(captions, np.eye(count))
    order = rng.permutation(count)
    rounded = np.eye(count) + 1e-15 * rng.normal(size=(count, count))
    assert partition([captions[index] for index in order], rounded[order]) == expected
