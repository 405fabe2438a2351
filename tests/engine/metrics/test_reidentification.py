import numpy as np
import pytest

from engine.errors import ConfigError
from engine.metrics.reidentification import Gallery, Ranks, gallery_mask, gallery_order, hard_gallery, mean_of_best


def ranks_of(*rows):
    return Ranks(*np.array(rows, np.int64).T)


def test_the_score_is_the_mean_of_the_three_best():
    assert mean_of_best(np.array([0.1, 0.9, 0.5, 0.4])) == pytest.approx(0.6)
    assert mean_of_best(np.array([0.1, 0.3])) == pytest.approx(0.2)
    assert mean_of_best(np.array([-np.inf, 0.3, -np.inf, -0.1, -np.inf])) == pytest.approx(0.1)
    assert mean_of_best(np.array([-np.inf, -np.inf])) == -np.inf
    assert mean_of_best(np.zeros((4, 0))).tolist() == [-np.inf] * 4


def test_the_order_of_captions_changes_no_bit():
    generator = np.random.default_rng(0)
    cosines = generator.normal(size=(500, 20))
    shuffled = generator.permuted(cosines, axis=1)
    np.testing.assert_array_equal(mean_of_best(cosines), mean_of_best(shuffled))


def test_ties_count_half_and_are_broken_by_lot_in_hits():
    ranks = ranks_of((0, 0, 10), (2, 3, 10), (9, 0, 10))
    assert ranks.rank.tolist() == [1, 4.5, 10]
    assert ranks.hits(1).tolist() == [1, 0, 0]
    assert ranks.hits(4).tolist() == [1, 0.5, 0]
    assert ranks.recall(10) == 1
    assert ranks.percentile() == pytest.approx((1 + (1 - 3.5 / 9) + 0) / 3)


def test_a_score_that_knows_nothing_has_exactly_the_recall_of_chance():
    ranks = ranks_of(*[(0, 99, 100)] * 5, (0, 9, 10))
    for k in (1, 3, 10):
        assert ranks.recall(k) == pytest.approx(ranks.chance(k))
    assert ranks.percentile() == 0.5


def test_a_query_without_a_rank_has_part_in_no_figure():
    ranks = ranks_of((0, 0, 10), (0, 0, 0))
    assert ranks.recall(1) == 1
    assert ranks.chance(1) == pytest.approx(0.1)
    assert np.isnan(ranks.rank[1])
    assert np.isnan(ranks.hits(1)[1])
    assert np.isnan(ranks_of((0, 0, 0)).recall(1))
    assert np.isnan(ranks_of((0, 0, 0)).chance(1))
    assert np.isnan(ranks_of((0, 0, 0)).percentile())


def test_a_gallery_is_the_first_people_outside_the_right_persons_cluster():
    clusters = np.array([5, 7, 5, 8, 9])
    mask = gallery_mask(clusters, np.array([5, 8, 1]), 3)
    assert mask.tolist() == [[False, True, False, True, False], [True, True, False, False, False], [True, True, False, False, False]]


def test_the_order_depends_on_seed_and_keys_alone():
    keys = [f"p{i}" for i in range(50)]
    order = gallery_order(keys, 1)
    assert sorted(order) == sorted(keys)
    assert order != keys
    assert gallery_order(reversed(keys), 1) == order
    assert gallery_order(keys, 2) != order
    assert gallery_order(keys[:40], 1) == [key for key in order if key in keys[:40]]


def test_a_gallery_of_one_is_refused_and_a_recipe_tells_galleries_apart():
    with pytest.raises(ConfigError):
        Gallery("lonely", 1)
    recipes = [each.recipe() for each in (Gallery("a", 100), Gallery("a", 1000), Gallery("a", 100, 1), hard_gallery({}))]
    assert len({str(recipe) for recipe in recipes}) == 4
