"""From a renderer's name to its model: the plan's id and precision hold on every node."""

import pytest
from asking import model, renderer

from actors.image_models import image_model_id, make_image_model, settled
from engine.errors import ModelError


def test_precision_is_settled_where_a_run_is_planned(random_sd):
    import torch

    auto = renderer(random_sd, dtype="auto")
    expected = "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float32"
    assert settled(auto).dtype == expected
    assert image_model_id(auto).endswith(f".{expected}")
    planned = image_model_id(renderer(random_sd, dtype="bfloat16"))
    assert make_image_model(auto, planned=planned).id == planned


def test_a_node_with_another_model_than_the_plans_is_refused(random_sd, ancestral_sd):
    planned = image_model_id(renderer(random_sd))
    with pytest.raises(ModelError, match="the plan names random-sd@"):
        make_image_model(renderer(ancestral_sd), planned=planned)


def test_an_unknown_name_is_told_with_what_is_there():
    with pytest.raises(ModelError, match=r"neither built in nor a folder.*tiny-scenes"):
        image_model_id(renderer("tiny-scene"))


def test_what_is_asked_of_a_checkpoint_beside_its_settings_is_in_the_id(random_sd, filtering_sd):
    assert image_model_id(renderer(random_sd, kind="text-to-image")) == model(random_sd).id.replace(".float32", ".text-to-image.float32")
    on, off = (image_model_id(renderer(filtering_sd, safety=safety)) for safety in ("on", "off"))
    assert off == on.replace(".float32", ".unfiltered.float32")
    assert image_model_id(renderer(random_sd, safety="off")) == image_model_id(renderer(random_sd)), "there is nothing to switch off"
