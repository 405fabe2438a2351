"""CLIP and DINOv2 from folders, as `save_pretrained` writes them: small ones with random weights, equal to what transformers computes."""

import json

import numpy as np
import pytest
import torch
from photographs import photographs
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import CLIPConfig, CLIPModel, Dinov2Config, Dinov2Model
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

from actors.placement import Placement
from actors.vision_models import encoder_id, make_encoder, make_quality, quality_id, reads_texts
from engine.errors import ModelError
from engine.images.decoding import decode
from engine.images.preprocessing import IMAGENET

START, END = 1, 2
LONG = " ".join(["cat", "moon", "a"] * 40)


def picture(name):
    return decode((photographs() / name).read_bytes()).value


@pytest.fixture(scope="module")
def clip_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "random-clip"
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "projection_dim": 16}
    config = CLIPConfig(
        text_config={**sizes, "vocab_size": 8, "eos_token_id": END, "bos_token_id": START, "pad_token_id": END},
        vision_config={**sizes, "image_size": 224, "patch_size": 32},
        projection_dim=16,
    )
    CLIPModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordLevel({"?": 0, "<s>": START, "<e>": END, "a": 3, "cat": 4, "moon": 5}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A <e>", special_tokens=[("<s>", START), ("<e>", END)])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def clip(clip_folder):
    return make_encoder(str(clip_folder))


def test_images_equal_what_transformers_computes(clip, clip_folder):
    names = ("chelsea.png", "rocket.jpg")
    pixels = CLIPImageProcessorPil()([Image.open(photographs() / name).convert("RGB") for name in names], return_tensors="pt")
    with torch.inference_mode():
        expected = CLIPModel.from_pretrained(clip_folder).get_image_features(**pixels).pooler_output
    expected = torch.nn.functional.normalize(expected).numpy()
    assert np.abs(clip.embed([picture(name) for name in names]) - expected).max() < 1e-5


def test_a_long_text_is_cut_to_77_ids_that_end_in_the_end_token(clip):
    ids = clip.ids(LONG)
    assert (len(ids), ids[0], ids[-1]) == (77, START, END)
    assert ids[1:-1] == ([4, 5, 3] * 40)[:75]
    assert clip.ids("a cat") == [START, 3, 4, END]
    assert clip.ids("") == [START, END]


def test_texts_equal_what_transformers_computes_of_each_alone(clip, clip_folder):
    texts = ["a cat", "", LONG, "moon a unknown", "\ud800"]
    model = CLIPModel.from_pretrained(clip_folder)
    with torch.inference_mode():
        expected = [model.get_text_features(input_ids=torch.tensor([clip.ids(text)])).pooler_output for text in texts]
    expected = torch.nn.functional.normalize(torch.cat(expected)).numpy()
    assert np.abs(clip.embed_texts(texts) - expected).max() < 1e-5
    assert clip.embed_texts([]).shape == (0, 16)


def test_half_precision_is_another_metric(clip, clip_folder):
    half = make_encoder(str(clip_folder), Placement(precision="bfloat16"))
    assert half.id == encoder_id(str(clip_folder), Placement(precision="bfloat16"))
    assert (clip.id.rpartition("+")[2], half.id.rpartition("+")[2]) == ("float32", "bfloat16")
    cat = picture("chelsea.png")
    assert 0.99 < half.embed([cat])[0] @ clip.embed([cat])[0] < 1


def test_another_revision_is_another_metric(clip, clip_folder, tmp_path):
    other = tmp_path / clip_folder.name
    other.mkdir()
    for file in clip_folder.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    assert encoder_id(str(other)) == clip.id
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "logit_scale_init_value": 1.0}))
    assert encoder_id(str(other)) != clip.id


def test_an_aesthetic_head_reads_the_clip_of_the_experiment(clip, clip_folder, tmp_path):
    from safetensors.numpy import save_file

    dice = np.random.default_rng(0)
    layers = [(16, 8), (8, 4), (4, 1)]
    tensors = {}
    for number, (wide, narrow) in zip((0, 2, 10), layers, strict=True):
        tensors[f"layers.{number}.weight"] = dice.normal(size=(narrow, wide)).astype(np.float32)
        tensors[f"layers.{number}.bias"] = dice.normal(size=narrow).astype(np.float32)
    head = tmp_path / "head.safetensors"
    save_file(tensors, head)
    measure = make_quality(str(head), [str(clip_folder), "conse-efficientnet-minilm"])
    assert measure.id == quality_id(str(head), [str(clip_folder)])
    assert clip.id in measure.id
    vectors = clip.embed([picture("chelsea.png"), picture("coffee.png")])
    x = vectors.astype(np.float64)
    for number in (0, 2, 10):
        x = x @ tensors[f"layers.{number}.weight"].T + tensors[f"layers.{number}.bias"]
    assert measure.measure([], {clip.id: vectors}) == pytest.approx(x[:, 0])
    assert measure.higher_is_better
    with pytest.raises(ModelError, match="vectors of 16 values, not of 15"):
        measure.measure([], {clip.id: vectors[:, 1:]})
    with pytest.raises(ModelError, match="names 0"):
        make_quality(str(head), ["dinov2-s-saliency"])
    save_file({"0.weight": np.zeros((2, 16), np.float32)}, head)
    with pytest.raises(ModelError, match="ends in one value"):
        make_quality(str(head), [str(clip_folder)])


@pytest.fixture(scope="module")
def dinov2_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "random-dinov2"
    torch.manual_seed(0)
    Dinov2Model(Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=518, patch_size=14)).save_pretrained(
        folder
    )
    return folder


def test_a_dinov2_folder_gives_its_class_token(dinov2_folder):
    image = Image.open(photographs() / "chelsea.png").convert("RGB")
    processor = BitImageProcessorPil(size={"shortest_edge": 224}, image_mean=IMAGENET.mean, image_std=IMAGENET.deviation)
    with torch.inference_mode():
        tokens = Dinov2Model.from_pretrained(dinov2_folder)(**processor(image, return_tensors="pt")).last_hidden_state[:, 0]
    encoder = make_encoder(str(dinov2_folder))
    assert np.abs(encoder.embed([picture("chelsea.png")])[0] - torch.nn.functional.normalize(tokens)[0].numpy()).max() < 1e-5
    assert not reads_texts(str(dinov2_folder))
    encoder.close()
    with pytest.raises(ModelError, match="closed"):
        encoder.embed([picture("chelsea.png")])


def test_a_folder_that_lacks_weights_is_refused(dinov2_folder, tmp_path):
    from safetensors.torch import load_file, save_file

    other = tmp_path / "partial"
    other.mkdir()
    (other / "config.json").write_bytes((dinov2_folder / "config.json").read_bytes())
    tensors = load_file(dinov2_folder / "model.safetensors")
    tensors.pop("layernorm.weight")
    save_file(tensors, other / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="layernorm"):
        make_encoder(str(other))
