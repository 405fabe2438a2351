"""Image figures by hand, and the golden value of METRICS (Image metrics)."""

import numpy as np
import pytest

from engine.metrics.images import ImageDefinition, between, cls_r, cls_t, dis_r, nearest, within

REFERENCES = np.array([(1, 0), (0, 1), (0.6, 0.8)], np.float32)
IMAGE = np.array((1, 0), np.float32)
OPPOSITE = np.array((-1, 0), np.float32)


def test_the_mean_of_cosines_is_not_the_cosine_to_the_mean():
    # METRICS, Image metrics: refs (1,0), (0,1), (.6,.8), x = (1,0): .533333.
    assert dis_r(IMAGE, REFERENCES) == pytest.approx(53.3333333, abs=1e-5)
    assert cls_r(IMAGE, REFERENCES) == pytest.approx(53.3333333, abs=1e-5)
    mean = REFERENCES.mean(axis=0)
    assert 100 * mean[0] / np.linalg.norm(mean) == pytest.approx(66.4364, abs=1e-3)


def test_only_figures_of_the_image_text_space_are_clamped():
    assert dis_r(OPPOSITE, REFERENCES) == pytest.approx(-53.3333333, abs=1e-5)
    assert cls_r(OPPOSITE, REFERENCES) == 0
    assert cls_t(OPPOSITE, IMAGE) == 0
    assert cls_t(IMAGE, REFERENCES[2]) == pytest.approx(60, abs=1e-5)


def test_each_cosine_is_clamped_before_they_are_averaged():
    assert cls_r(IMAGE, np.stack([IMAGE, OPPOSITE])) == pytest.approx(50)


def test_rounding_never_makes_a_cosine_larger_than_one():
    longer = np.array((1.0000001, 0), np.float32)
    assert cls_t(longer, longer) == 100
    assert nearest(longer, longer[None]) == (0, 1.0)


def test_the_nearest_reference_is_the_first_of_equals():
    assert nearest(IMAGE, np.stack([REFERENCES[1], IMAGE, IMAGE])) == (1, 1.0)


def test_diversity_is_the_mean_distance_of_all_pairs():
    distances = [1 - float(a @ b) for i, a in enumerate(REFERENCES) for b in REFERENCES[i + 1 :]]
    assert within(REFERENCES) == pytest.approx(np.mean(distances))
    assert within(np.stack([IMAGE, IMAGE])) == pytest.approx(0)
    assert np.isnan(within(REFERENCES[:1]))


def test_separation_is_the_mean_distance_across():
    others = np.stack([IMAGE, OPPOSITE])
    distances = [1 - float(a @ b) for a in REFERENCES for b in others]
    assert between(REFERENCES, others) == pytest.approx(np.mean(distances))


def test_every_choice_is_part_of_the_id():
    first = ImageDefinition("a", "b", "c", ("d",), 0.95)
    others = [ImageDefinition("x", "b", "c", ("d",), 0.95), ImageDefinition("a", "x", "c", ("d",), 0.95)]
    others += [
        ImageDefinition("a", "b", "x", ("d",), 0.95),
        ImageDefinition("a", "b", "c", (), 0.95),
        ImageDefinition("a", "b", "c", ("d",), 0.9),
    ]
    assert len({first.id, *(other.id for other in others)}) == 6
