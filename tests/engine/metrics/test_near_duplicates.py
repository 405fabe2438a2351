import numpy as np
import pytest

from engine.metrics import near_duplicates as module
from engine.metrics.near_duplicates import near_duplicates


def unit(rows):
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)


def near(row, cosine, generator):
    """A unit vector at that cosine from a unit vector."""
    other = generator.normal(size=row.shape)
    other -= row * (other @ row)
    return cosine * row + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)


def made_up(seed, people=48, dimension=96):
    """People of 1 to 30 captions; every third one copies a share of somebody else's captions, more or less exactly."""
    generator = np.random.default_rng(seed)
    captions = [unit(generator.normal(size=(int(generator.integers(1, 31)), dimension))) for _ in range(people)]
    for copier in range(2, people, 3):
        victim = captions[copier - 1]
        taken = generator.random(len(victim)) < generator.uniform(0.3, 1)
        copied = [near(row, generator.choice([0.93, 0.949, 0.951, 0.97, 1.0]), generator) for row in victim[taken]]
        captions[copier] = unit(np.concatenate([*[row[None] for row in copied], captions[copier][: len(victim)]]))
    clusters = np.array([person // 6 if person % 6 < 2 else 100 + person for person in range(people)])
    offsets = np.cumsum([0, *map(len, captions)])
    return np.concatenate(captions), offsets, clusters


def by_loop(rows, offsets, clusters, twin=0.95, share=0.5):
    found = set()
    for one in range(len(clusters)):
        for other in range(one + 1, len(clusters)):
            mine, theirs = (rows[offsets[i] : offsets[i + 1]].astype(np.float64) for i in (one, other))
            if clusters[one] == clusters[other] or not len(mine) or not len(theirs):
                continue
            twins = (mine @ theirs.T) / np.outer(np.linalg.norm(mine, axis=1), np.linalg.norm(theirs, axis=1)) >= twin
            shares = twins.any(axis=1).mean(), twins.any(axis=0).mean()
            if max(shares) >= share:
                found.add((one, other, *shares))
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rank", [4, 64, 200])
def test_all_pairs_that_a_loop_finds_are_found_whatever_the_bound(monkeypatch, seed, rank):
    monkeypatch.setattr(module, "RANK", rank)
    monkeypatch.setattr(module, "BLOCK", 13)
    people = made_up(seed)
    expected = by_loop(*people)
    found = [(pair.first, pair.second, pair.first_share, pair.second_share) for pair in near_duplicates(*people)]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert expected


def test_people_of_one_cluster_are_no_pair_and_the_same_person_twice_is():
    rows = unit(np.random.default_rng(1).normal(size=(10, 80)))
    both = np.concatenate([rows, rows[::-1]])
    offsets = np.array([0, 10, 20])
    assert near_duplicates(both, offsets, np.array([3, 3])) == []
    [pair] = near_duplicates(both, offsets, np.array([3, 4]))
    assert (pair.first, pair.second, pair.first_share, pair.second_share) == (0, 1, 1.0, 1.0)


def test_someone_contained_in_another_is_a_pair():
    rows = unit(np.random.default_rng(2).normal(size=(30, 80)))
    [pair] = near_duplicates(np.concatenate([rows, rows[4:6]]), np.array([0, 30, 32]), np.array([0, 1]))
    assert (pair.first_share, pair.second_share) == (2 / 30, 1.0)


@pytest.mark.parametrize("captions", [1, 2, 3, 4, 5])
def test_twins_among_the_last_captions_only_are_enough(captions):
    rows = unit(np.random.default_rng(3).normal(size=(30 + captions, 80)))
    twinned = (captions + 1) // 2
    rows[len(rows) - twinned :] = rows[30 - twinned : 30]
    [pair] = near_duplicates(rows, np.array([0, 30, 30 + captions]), np.array([0, 1]))
    assert (pair.first_share, pair.second_share) == (twinned / 30, twinned / captions)


def test_rows_of_zeros_people_without_captions_and_nobody_are_no_trouble():
    zeros = np.zeros((4, 80), np.float32)
    assert near_duplicates(zeros, np.array([0, 2, 2, 4]), np.array([0, 1, 2])) == []
    assert near_duplicates(zeros[:0], np.array([0]), np.zeros(0, np.int64)) == []
