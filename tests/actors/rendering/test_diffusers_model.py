"""Real diffusers pipelines, tiny and untrained: what is drawn depends on the request alone, and every request gets one outcome."""

from dataclasses import replace

import numpy as np
import pytest
from asking import drawn, model, outcomes, requests

from actors.image_models import image_model_id
from engine.errors import ModelError
from engine.images.picture import Picture
from engine.images.rendering import EMPTY_PROMPT, NO_EDITING, NO_SOURCE
from engine.outcome import Answered, Failed, Refused


def same(one, other):
    return all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def apart(one, other):
    """Mean distance of pixels, 0 to 255."""
    return float(np.abs(np.asarray(one, float) - np.asarray(other, float)).mean())


def a_source(seed=0):
    return Picture(np.random.default_rng(seed).integers(0, 255, (48, 40, 3)).astype(np.uint8), f"{seed}")


@pytest.mark.parametrize("checkpoint", ["random_sd", "ancestral_sd"])
def test_a_batch_of_n_equals_n_batches_of_one_to_the_bit(request, checkpoint):
    painter = model(request.getfixturevalue(checkpoint), batch=3)
    asked = requests(7)
    together = drawn(painter, asked)
    assert all(pixels.shape == (32, 32, 3) and pixels.dtype == np.uint8 and pixels.std() > 5 for pixels in together)
    assert same(together, [drawn(painter, [each])[0] for each in asked])
    assert same(together, drawn(painter, asked[::-1])[::-1])
    assert apart(together[0], together[1]) > 5


@pytest.mark.parametrize("checkpoint", ["random_sd", "editing_sd"])
def test_edits_in_a_batch_are_those_edited_alone(request, checkpoint):
    painter = model(request.getfixturevalue(checkpoint), batch=2)
    asked = [replace(each, source=a_source(number)) for number, each in enumerate(requests(3))]
    together = drawn(painter, asked)
    assert same(together, [drawn(painter, [each])[0] for each in asked])
    assert apart(together[0], drawn(painter, [replace(asked[0], source=a_source(9))])[0]) > 1
    assert together[0].shape == (32, 32, 3), "of the size that was asked for, not of the source's"


def test_an_image_is_what_the_bare_pipeline_draws(random_sd):
    import torch
    from diffusers import StableDiffusionPipeline

    bare = StableDiffusionPipeline.from_pretrained(random_sd, use_safetensors=True)
    bare.set_progress_bar_config(disable=True)
    asked = requests(4)
    images = bare(
        [each.prompt for each in asked],
        num_inference_steps=3,
        guidance_scale=5.0,
        width=32,
        height=32,
        generator=[torch.Generator().manual_seed(each.seed) for each in asked],
    ).images
    assert same(drawn(model(random_sd, batch=4), asked), [np.asarray(image) for image in images])


def test_settings_of_one_call_may_differ(random_sd):
    painter = model(random_sd)
    small, wide = requests(1)[0], replace(requests(1)[0], settings=replace(requests(1)[0].settings, width=64))
    edit = replace(small, source=a_source())
    found = drawn(painter, [wide, small, edit, wide])
    assert [pixels.shape for pixels in found] == [(32, 64, 3), (32, 32, 3), (32, 32, 3), (32, 64, 3)]
    assert same(found[:1], found[3:])


def test_seed_prompt_negative_prompt_guidance_and_strength_change_the_image(random_sd):
    painter = model(random_sd)
    base = replace(requests(1)[0], source=a_source())
    settings = base.settings
    changes = [
        replace(base, seed=base.seed + 1),
        replace(base, prompt="a dog"),
        *(replace(base, settings=replace(settings, **change)) for change in ({"negative": "dull"}, {"guidance": 9.0}, {"strength": 0.9})),
    ]
    first = drawn(painter, [base])[0]
    assert same([first], drawn(painter, [base]))
    assert [apart(first, each) > 0.1 for each in drawn(painter, changes)] == [True] * 5


def test_an_edit_draws_at_least_one_step(random_sd):
    painter = model(random_sd, batch=1)
    base = replace(requests(1)[0], source=a_source())
    third, less = (replace(base, settings=replace(base.settings, strength=strength)) for strength in (0.34, 0.01))
    assert same(drawn(painter, [third]), drawn(painter, [less]))


def test_a_lora_changes_the_image_as_much_as_its_scale_says(random_sd, style):
    asked = requests(2)
    without = drawn(model(random_sd), asked)
    full, none = ([{"file": str(style), "scale": scale}] for scale in (1.0, 0.0))
    assert apart(drawn(model(random_sd, loras=full), asked), without) > 1
    assert same(drawn(model(random_sd, loras=none), asked), without)


def test_a_lora_of_another_model_is_refused(random_sd, tmp_path):
    import torch
    from safetensors.torch import save_file

    save_file({"transformer.blocks.0.attn.to_q.lora_A.weight": torch.zeros(4, 8)}, tmp_path / "foreign.safetensors")
    with pytest.raises(ModelError, match=r"foreign\.safetensors"):
        model(random_sd, loras=[{"file": str(tmp_path / "foreign.safetensors")}])


def test_what_the_safety_filter_takes_away_is_refused_and_not_a_black_image(filtering_sd):
    (refused,) = outcomes(model(filtering_sd), requests(1))
    assert isinstance(refused, Refused)
    assert "safety filter" in refused.raw
    free = model(filtering_sd, safety="off")
    assert isinstance(outcomes(free, requests(1))[0], Answered)
    assert ".unfiltered." in free.id


def test_an_empty_prompt_is_a_failure_and_its_neighbours_are_drawn(random_sd):
    asked = requests(3)
    asked[1] = replace(asked[1], prompt=" \n")
    found = outcomes(model(random_sd), asked)
    assert isinstance(found[1], Failed)
    assert found[1].code == EMPTY_PROMPT
    assert isinstance(found[0], Answered)
    assert isinstance(found[2], Answered)


def test_who_may_not_edit_and_who_only_edits_say_so(random_sd, editing_sd):
    (no_editing,) = outcomes(model(random_sd, kind="text-to-image"), [replace(requests(1)[0], source=a_source())])
    (no_source,) = outcomes(model(editing_sd), requests(1))
    assert isinstance(no_editing, Failed)
    assert isinstance(no_source, Failed)
    assert (no_editing.code, no_source.code) == (NO_EDITING, NO_SOURCE)
    with pytest.raises(ModelError, match="kind text-to-image"):
        model(editing_sd, kind="text-to-image")


def test_values_that_are_no_picture_are_a_failure(random_sd, tmp_path):
    import shutil

    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(random_sd, tmp_path / "random-sd")
    weights = load_file(broken / "vae" / "diffusion_pytorch_model.safetensors")
    weights["decoder.conv_out.bias"][0] = float("nan")
    save_file(weights, broken / "vae" / "diffusion_pytorch_model.safetensors", metadata={"format": "pt"})
    (blank,) = outcomes(model(broken), requests(1))
    assert isinstance(blank, Failed)
    assert blank.code == "blank-image"


def test_a_long_prompt_is_counted_as_cut_and_nothing_of_it_is_told(random_sd, capfd, caplog):
    painter = model(random_sd)
    capfd.readouterr()
    drawn(painter, [*requests(1), replace(requests(1)[0], prompt="a very secret word " * 20)])
    assert painter.cut == 1
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_another_id_and_nearly_the_same_image(random_sd, dtype):
    asked = requests(1, steps=1)
    half = model(random_sd, dtype=dtype, batch=1)
    assert half.id.endswith(f".{dtype}")
    assert 0 < apart(drawn(half, asked), drawn(model(random_sd, batch=1), asked)) < 4


def test_sliced_attention_draws_the_same_image_under_the_same_id(random_sd):
    sliced = model(random_sd, attention="slicing")
    assert sliced.id == model(random_sd).id
    assert apart(drawn(sliced, requests(2)), drawn(model(random_sd), requests(2))) < 0.1


def test_a_closed_model_draws_nothing(random_sd):
    painter = model(random_sd)
    painter.close()
    with pytest.raises(ModelError, match="closed"):
        outcomes(painter, requests(1))


def test_the_id_tells_checkpoint_lora_and_precision_without_loading_anything(random_sd, style):
    from asking import renderer

    plain = image_model_id(renderer(random_sd))
    assert plain == model(random_sd).id
    assert plain.startswith("random-sd@")
    with_style = image_model_id(renderer(random_sd, loras=[{"file": str(style), "scale": 0.5}]))
    assert with_style.startswith(plain.removesuffix(".float32") + "+style@")
    assert with_style.endswith("*0.5.float32")
