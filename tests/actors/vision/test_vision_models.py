"""Names of image models: their ids, without loading them; and what is said of names that are none."""

import pytest

from actors.onnx_weights import read_weights
from actors.placement import Placement
from actors.vision_models import CONSE, encoder_id, make_encoder, make_perceptual, make_quality, perceptual_id, quality_id, reads_texts
from actors.vision_packages import BRISQUE, DINOV2_SALIENCY, LPIPS_ALEX, LPIPS_VGG, package_files
from engine.errors import ModelError


def test_ids_pin_weights_preprocessing_and_precision(dinov2, conse, alex, brisque):
    assert encoder_id(DINOV2_SALIENCY) == dinov2.id
    assert encoder_id(CONSE) == conse.id
    assert perceptual_id(LPIPS_ALEX) == alex.id
    assert quality_id(BRISQUE) == brisque.id
    assert dinov2.id.startswith("dinov2-s-saliency@198644e3.")
    assert dinov2.id.endswith("+crop224-imagenet+float32")
    assert conse.id.endswith("+crop224-lite-top10+float32")
    assert alex.id.endswith("+square256+float32")
    assert len({alex.id, perceptual_id(LPIPS_VGG), perceptual_id(LPIPS_ALEX, Placement(precision="float16"))}) == 3


def test_no_stand_in_goes_by_the_name_of_what_it_stands_for(dinov2, conse):
    for model in (dinov2, conse):
        assert "clip" not in model.id.lower()
        assert "vits14" not in model.id.lower()


def test_only_what_reads_texts_says_so():
    assert reads_texts(CONSE)
    assert not reads_texts(DINOV2_SALIENCY)


def test_conse_has_no_half_precision():
    with pytest.raises(ModelError, match="float32 only"):
        make_encoder(CONSE, Placement(precision="bfloat16"))


@pytest.mark.parametrize(
    ("call", "name", "says"),
    [
        (make_encoder, "dinov2-s-salience", "Did you mean 'dinov2-s-saliency'"),
        (encoder_id, "openai/clip-vit-base-patch32", "conse-efficientnet-minilm, dinov2-s-saliency; or give a path"),
        (encoder_id, "minilm-l6-v2", "No image model is called 'minilm-l6-v2'"),
        (make_perceptual, "lpips", "Known: lpips-alex, lpips-vgg"),
        (make_quality, "briske", "Did you mean 'brisque'"),
        (make_quality, "nothing.safetensors", "names 0"),
    ],
)
def test_an_unknown_name_says_what_is_known(call, name, says):
    with pytest.raises(ModelError, match=r"model|head") as caught:
        call(name)
    assert says in str(caught.value)


def test_a_folder_of_another_architecture_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    for config in ('{"model_type": "bert"}', "no json", "[]"):
        (tmp_path / "config.json").write_text(config)
        with pytest.raises(ModelError, match="no CLIP and no DINOv2"):
            encoder_id(str(tmp_path))


def test_a_damaged_onnx_file_is_refused(tmp_path):
    files = package_files(DINOV2_SALIENCY)
    data = (files.folder / files.weights).read_bytes()
    for damaged in (data[:-9], b"\xff" * 40, b"\x3a\xff\xff\xff\xff\x0f"):
        (tmp_path / "cut.onnx").write_bytes(damaged)
        with pytest.raises(ModelError, match="no ONNX file"):
            read_weights(tmp_path / "cut.onnx")
    with pytest.raises(ModelError, match="missing"):
        read_weights(tmp_path / "none.onnx")
