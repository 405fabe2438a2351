"""Figures of embeddings against the same computed pair by pair."""

from itertools import combinations

import numpy as np
import pytest

from engine.metrics.ceiling import leave_one_out_fidelity
from engine.profiles.quality.gallery import gallery_figures
from engine.profiles.quality.groups import grouped
from engine.profiles.quality.likeness import effective_rank, likeness_figures, span_figures


@pytest.fixture(scope="module")
def groups():
    generator = np.random.default_rng(4)
    sizes = [5, 4, 1, 6, 3]
    centres = generator.standard_normal((5, 12))
    vectors = np.concatenate([centre + generator.standard_normal((size, 12)) for centre, size in zip(centres, sizes, strict=True)])
    texts = [[f"caption {person} {n} of this" for n in range(size)] for person, size in enumerate(sizes)]
    return grouped("abcde", ["k", "k", "l", "m", "n"], texts, vectors)


def test_mean_cosines_are_those_of_all_pairs(groups):
    figures = likeness_figures(groups)
    between = [
        (one @ other.T).ravel()
        for (i, one), (j, other) in combinations(enumerate(groups.rows), 2)
        if groups.clusters[i] != groups.clusters[j]
    ]
    own = [np.array([a @ b for a, b in combinations(rows, 2)]) for rows in groups.rows if len(rows) > 1]
    assert figures["between_cosine"].value == pytest.approx(np.concatenate(between).mean())
    assert figures["within_cosine"].value == pytest.approx(np.mean([each.mean() for each in own]))
    assert figures["largest_own_pair"].value == pytest.approx(max(each.max() for each in own))


def test_the_largest_own_pair_is_shown_with_its_person_and_both_captions():
    groups = grouped(["a"], ["a"], [["kite", "hill", "kite again"]], np.array([[1, 0, 0], [0, 1, 0], [1, 0.1, 0]], dtype=float))
    assert likeness_figures(groups)["largest_own_pair"].examples[0].endswith("a: 'kite' and 'kite again'")


def test_leave_one_out_gs_is_that_of_the_metric(groups):
    expected = np.concatenate([leave_one_out_fidelity(rows @ rows.T) for rows in groups.rows if len(rows) > 1])
    assert span_figures(groups)["loo_gs"].value == pytest.approx(expected.mean())


def test_effective_rank_counts_equal_directions_and_hardly_small_ones():
    assert effective_rank(np.ones(7)) == pytest.approx(7)
    assert effective_rank(np.array([1.0, 0.0, 0.0])) == pytest.approx(1)
    # Shares 3/4 and 1/4: exp(H) = 4 / 3^(3/4).
    assert effective_rank(np.array([3.0, 1.0])) == pytest.approx(4 / 3**0.75)


def test_by_eigenvalues_the_rank_contradicts_the_band_of_likeness_within_a_person():
    # G of 30 captions that all have cosine .50: the most even spectrum there is. Its eigenvalues are 15.5 and .5 (29 times).
    values = np.linalg.eigvalsh(np.full((30, 30), 0.5) + 0.5 * np.eye(30))
    assert effective_rank(values) == pytest.approx(10.177, abs=1e-3)
    assert effective_rank(np.sqrt(values)) == pytest.approx(26.216, abs=1e-3)


def test_recall_is_that_of_a_loop_over_captions_and_people(groups):
    hits = []
    for i, rows in enumerate(groups.rows):
        for n, row in enumerate(rows):
            scores = {}
            for j, others in enumerate(groups.rows):
                if j != i and groups.clusters[j] == groups.clusters[i]:
                    continue  # people of one cluster are no distractors of each other
                cosines = sorted(np.delete(others, n, axis=0) @ row if j == i else others @ row)[-3:]
                if len(cosines):
                    scores[j] = np.mean(cosines)
            if i in scores:
                hits.append(max(scores, key=scores.get) == i)
    assert gallery_figures(groups)["recall_at_1"].value == pytest.approx(np.mean(hits))
    assert 0 < np.mean(hits) < 1


def test_a_copy_is_a_near_duplicate_in_another_cluster_only():
    generator = np.random.default_rng(1)
    own, other = generator.standard_normal((2, 4, 12))
    copied = np.concatenate([own, np.concatenate([own[:3], other[:1]]), other])
    texts = [[f"{person}{n}" for n in range(4)] for person in "abc"]
    apart = gallery_figures(grouped("abc", "abc", texts, copied))["near_duplicates"]
    assert apart.value == 0.75
    assert apart.examples[0] == "a: 75% of the captions have a twin of b"
    assert gallery_figures(grouped("abc", "aac", texts, copied))["near_duplicates"].value == 0.25


def test_progress_ends_with_every_caption(groups):
    seen = []
    gallery_figures(groups, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (19, 19)
