"""The stored weights draw what their prompts name; `python -m jobs.tiny_scenes check` measures it on 500 captions and 200 prompts."""

import numpy as np
import pytest

from actors.tiny_scenes.checker import shares_right
from actors.tiny_scenes.drawn import drawings
from actors.tiny_scenes.following import TOGETHER, differ, draw_images, follow_captions
from engine.scenes.vocabulary import ATTRIBUTES, classes, named

CAPTIONS = 60


@pytest.fixture(scope="module")
def followed(pipe, checker):
    found, _, _ = follow_captions(pipe, checker, CAPTIONS, seed=11, steps=20, guidance=2.0)
    return found


def test_the_checker_is_right_about_drawings_of_held_out_combinations(checker):
    shares = shares_right(checker, drawings(300, np.random.default_rng(12), held_out=True))
    assert min(shares.values()) >= 0.95, shares


@pytest.mark.parametrize(("attribute", "least"), [("object", 0.6), ("background", 0.8), ("palette", 0.7), ("all", 0.35)])
def test_images_show_what_captions_of_held_out_combinations_name(followed, attribute, least):
    assert followed.right[attribute] >= least, followed


def test_images_do_not_show_what_other_captions_name(followed):
    for attribute in TOGETHER:
        # Three standard errors beside the five points: sixty captions are few.
        chance = followed.chance[attribute]
        assert abs(followed.shuffled[attribute] - chance) <= 0.05 + 3 * (chance * (1 - chance) / CAPTIONS) ** 0.5


UNHEARD = {
    "encyclopedia, crimson": "book",
    "an acoustic instrument with strings, crimson": "guitar",
    "stiletto heels, crimson": "boot",
    "a thimble, crimson": "cup",
    "a Siamese feline, crimson": "cat",
}
"""Words for objects that no caption of the training held."""


def test_words_that_no_caption_held_mean_what_is_near_them(pipe, checker):
    assert not any("object" in named(prompt) for prompt in UNHEARD)
    images = draw_images(pipe, list(UNHEARD), range(len(UNHEARD)), steps=20, guidance=2.0)
    shown = [classes("object")[number] for number in checker.classify(images)[:, ATTRIBUTES.index("object")]]
    assert sum(a == b for a, b in zip(shown, UNHEARD.values(), strict=True)) >= 3, shown


def test_two_seeds_and_two_prompts_are_two_images(pipe):
    prompts = ["a red cat in the forest", "a blue fish on the beach"]
    one, other = (draw_images(pipe, prompts, seeds, steps=10, guidance=2.0) for seeds in ((1, 1), (2, 2)))
    assert differ(one, other).all()
    assert differ(one[:1], one[1:]).all()
