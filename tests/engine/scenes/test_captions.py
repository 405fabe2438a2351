from dataclasses import astuple

import numpy as np

from engine.scenes.captions import caption, silent
from engine.scenes.splitting import draw_scenes
from engine.scenes.vocabulary import ATTRIBUTES, named

SCENES = draw_scenes(300, np.random.default_rng(4), held_out=False)


def test_a_caption_names_what_it_says_it_names():
    rng = np.random.default_rng(5)
    for scene in SCENES:
        said = caption(scene, rng)
        found = named(said.text)
        assert {attribute: set(names) for attribute, names in found.items()} == {a: set(names) for a, names in said.named.items()}, (
            said.text
        )


def test_a_whole_caption_names_object_background_and_palette_and_nothing_else():
    rng = np.random.default_rng(6)
    for scene in SCENES:
        shown = dict(zip(ATTRIBUTES, astuple(scene), strict=True))
        said = caption(scene, rng, whole=True).named
        assert {"object", "background", "palette"} <= said.keys()
        assert all(names == (shown[attribute],) for attribute, names in said.items())


def test_one_scene_has_many_wordings():
    rng = np.random.default_rng(7)
    assert len({caption(SCENES[0], rng, whole=True).text for _ in range(50)}) >= 45


def test_phrases_beside_stand_in_the_caption():
    rng = np.random.default_rng(8)
    texts = [caption(scene, rng, ("zebra crossing",)).text for scene in SCENES]
    assert 0.5 < np.mean(["zebra crossing" in text for text in texts]) < 0.95


def test_silent_phrases_are_those_that_name_nothing():
    assert silent(["brass samovar", "straw hat", "brass samovar", "", "Icelandic coast"]) == ("brass samovar",)
