import numpy as np

from engine.scenes.splitting import draw_scenes, is_held_out
from engine.scenes.vocabulary import classes


def test_training_never_shows_a_held_out_combination():
    combination = lambda scene: (scene.object, scene.background, scene.palette)  # noqa: E731
    held_out, trained = (
        {combination(scene) for scene in draw_scenes(20_000, np.random.default_rng(1), held_out=side)} for side in (True, False)
    )
    assert held_out
    assert not held_out & trained
    assert len(held_out | trained) == len(classes("object")) * len(classes("background")) * len(classes("palette"))


def test_every_class_is_on_both_sides():
    for side in (True, False):
        scenes = draw_scenes(5_000, np.random.default_rng(2), held_out=side)
        for attribute in ("object", "background", "palette", "lighting", "layout"):
            assert {getattr(scene, attribute) for scene in scenes} == set(classes(attribute))


def test_a_combination_is_held_out_whatever_its_light_and_layout():
    [scene] = draw_scenes(1, np.random.default_rng(3), held_out=True)
    others = [
        type(scene)(scene.object, scene.background, light, scene.palette, layout)
        for light in classes("lighting")
        for layout in classes("layout")
    ]
    assert all(is_held_out(other) for other in others)
