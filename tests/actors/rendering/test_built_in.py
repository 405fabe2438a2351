"""`tiny-scenes` through the same code as any checkpoint."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from asking import drawn

from actors.image_models import image_model_id, make_image_model
from engine.image_config import BUILT_IN, TINY_SCENES
from engine.images.picture import Picture
from engine.images.rendering import RenderRequest

RENDERER = BUILT_IN[TINY_SCENES].model_copy(update={"steps": 4, "batch": 3})
SCENES = ("a cobalt lantern on the beach at night", "a red boat under a grey sky", "an old clock in a green room", "two cups")


@pytest.fixture(scope="module")
def model():
    return make_image_model(RENDERER)


@pytest.fixture
def requests():
    return [RenderRequest(prompt, prompt, RENDERER.settings(), seed) for seed, prompt in enumerate(SCENES)]


def test_a_batch_equals_its_images_drawn_alone_and_edits_do_too(model, requests):
    together = drawn(model, requests)
    assert all(np.array_equal(pixels, drawn(model, [each])[0]) for pixels, each in zip(together, requests, strict=True))
    edits = [replace(each, source=Picture(together[0], "0")) for each in requests]
    edited = drawn(model, edits)
    assert all(np.array_equal(pixels, drawn(model, [each])[0]) for pixels, each in zip(edited, edits, strict=True))
    assert not np.array_equal(edited[1], together[1])


def test_prompt_seed_and_negative_prompt_change_the_image(model, requests):
    base = requests[0]
    changes = [
        replace(base, prompt="a pink balloon in the snow"),
        replace(base, seed=99),
        replace(base, settings=replace(base.settings, negative="night")),
    ]
    (first,) = drawn(model, [base])
    assert [bool(np.abs(first.astype(int) - each).mean() > 1) for each in drawn(model, changes)] == [True] * 3


def test_it_is_asked_for_the_size_that_it_draws_at(model):
    assert (RENDERER.width, RENDERER.height) == (model._loaded.any.size,) * 2


def test_its_id_names_what_reads_its_prompts_and_is_found_without_torch():
    code = "import sys; from actors.image_models import *; from engine.image_config import *; print(image_model_id(BUILT_IN[TINY_SCENES]))"
    told = subprocess.run(
        [sys.executable, "-c", f"{code}; assert not {{'torch', 'diffusers'}} & set(sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == image_model_id(RENDERER)
    assert "+minilm-l6-v2@53aa5117." in told.stdout
