from dataclasses import replace

import numpy as np
import pytest

from engine.scenes.drawing import SIZE_PX, draw_scene
from engine.scenes.vocabulary import ATTRIBUTES, Scene, classes

SCENE = Scene("pot", "meadow", "day", "blue", "centre")


def drawn(scene, seed=0):
    return draw_scene(scene, np.random.default_rng(seed)).astype(int)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_class_draws_something_of_its_own(attribute):
    images = [drawn(replace(SCENE, **{attribute: name})) for name in classes(attribute)]
    for i, one in enumerate(images):
        assert one.shape == (SIZE_PX, SIZE_PX, 3)
        for other in images[:i]:
            assert (np.abs(one - other).max(2) > 24).mean() > 0.02


def test_equal_seeds_draw_equal_pixels_and_others_do_not():
    assert (drawn(SCENE, 5) == drawn(SCENE, 5)).all()
    assert (drawn(SCENE, 5) != drawn(SCENE, 6)).any()


def test_the_object_wears_the_palette_and_stands_where_the_layout_says():
    middles = []
    for layout in ("left", "centre", "right"):
        image = drawn(replace(SCENE, layout=layout, palette="red", background="kitchen"))
        red = (image[..., 0] > 150) & (image[..., 1] < 90) & (image[..., 2] < 90)
        assert 0.05 < red.mean() < 0.5
        middles.append(np.nonzero(red)[1].mean() / SIZE_PX)
    assert middles[0] < 0.42 < middles[1] < 0.58 < middles[2]


def test_night_is_darker_than_day():
    day, night = drawn(SCENE), drawn(replace(SCENE, lighting="night"))
    assert night.mean() < 0.75 * day.mean()


def test_another_size_may_be_asked_for():
    assert draw_scene(SCENE, np.random.default_rng(0), 96).shape == (96, 96, 3)
