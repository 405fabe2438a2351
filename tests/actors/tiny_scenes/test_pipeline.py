"""What the pipeline promises its callers; that it follows prompts is in test_following.py."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from actors.tiny_scenes.pipeline import WEIGHTS_FOLDER, TinyScenesPipeline

PROMPTS = [
    "a cobalt lantern on the beach, at night",
    "on the way to work; with straw hat, dusty clementine; nearest kitchen",
    "a quiet evening",
]
STEPS = 6


def seeded(*seeds):
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def drawn(pipe, prompts, seeds, **given):
    return pipe(prompts, generator=seeded(*seeds), num_inference_steps=STEPS, output_type="np", **given).images


def test_images_are_finite_and_in_range(pipe):
    images = drawn(pipe, PROMPTS, (1, 2, 3))
    assert images.shape == (3, 32, 32, 3)
    assert np.isfinite(images).all()
    assert images.min() >= 0
    assert images.max() <= 1
    assert images.std() > 0.05


def test_a_batch_equals_its_images_one_by_one(pipe):
    together = drawn(pipe, PROMPTS, (1, 2, 3))
    alone = np.concatenate([drawn(pipe, [prompt], (seed,)) for prompt, seed in zip(PROMPTS, (1, 2, 3), strict=True)])
    assert np.abs(together - alone).max() < 1e-4


def test_a_seed_is_an_image(pipe):
    one, again, other = drawn(pipe, PROMPTS[:1], (5,)), drawn(pipe, PROMPTS[:1], (5,)), drawn(pipe, PROMPTS[:1], (6,))
    assert (one == again).all()
    assert np.abs(one - other).mean() > 0.01


def test_the_negative_prompt_and_the_guidance_change_the_image(pipe):
    plain = drawn(pipe, PROMPTS[:1], (5,))
    assert np.abs(plain - drawn(pipe, PROMPTS[:1], (5,), negative_prompt=["night, a lantern"])).mean() > 0.005
    assert np.abs(plain - drawn(pipe, PROMPTS[:1], (5,), guidance_scale=1.0)).mean() > 0.005


def test_an_edit_keeps_more_of_its_source_the_weaker_it_is(pipe):
    source = Image.fromarray((drawn(pipe, PROMPTS[:1], (5,))[0] * 255).round().astype(np.uint8))
    apart = [
        np.abs(drawn(pipe, ["a red cat in the meadow"], (7,), image=[source], strength=strength)[0] - np.asarray(source) / 255).mean()
        for strength in (0.0, 0.5, 1.0)
    ]
    assert apart[0] < 0.01
    assert apart[0] < apart[1] < apart[2]


def test_other_sizes_are_scaled(pipe):
    assert drawn(pipe, PROMPTS[:1], (5,), height=64, width=96).shape == (1, 64, 96, 3)
    tensors = pipe(PROMPTS[0], generator=seeded(5), num_inference_steps=2, output_type="pt").images
    assert tensors.shape == (1, 3, 32, 32)
    [image] = pipe(PROMPTS[0], generator=seeded(5), num_inference_steps=2).images
    assert image.size == (32, 32)


def test_lists_of_unequal_length_are_refused(pipe):
    with pytest.raises(ValueError, match="3 prompts need as many"):
        pipe(PROMPTS, generator=seeded(1))
    with pytest.raises(ValueError, match="strength"):
        pipe(PROMPTS[0], image=Image.new("RGB", (32, 32)), strength=1.5)


def test_the_stored_weights_are_small_and_no_pickle():
    files = [file for file in WEIGHTS_FOLDER.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 8e6
    assert {file.suffix for file in files} == {".safetensors", ".json"}


def test_the_folder_is_a_diffusers_pipeline(pipe, tmp_path):
    index = json.loads((WEIGHTS_FOLDER / "model_index.json").read_text())
    assert index["_class_name"] == "TinyScenesPipeline"
    assert index["unet"] == ["diffusers", "UNet2DConditionModel"]
    pipe.save_pretrained(tmp_path)
    again = TinyScenesPipeline.from_pretrained(tmp_path)
    again.set_progress_bar_config(disable=True)
    assert (drawn(again, PROMPTS[:1], (5,)) == drawn(pipe, PROMPTS[:1], (5,))).all()
