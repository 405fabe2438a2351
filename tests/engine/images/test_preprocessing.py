"""Tensors equal those of the reference implementations, on real photographs."""

import numpy as np
import pytest
from photographs import photographs
from PIL import Image
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

from engine.images.decoding import decode
from engine.images.picture import Picture
from engine.images.preprocessing import (
    IMAGENET,
    OPENAI,
    SignedPixels,
    UnitPixels,
    cropped,
    gray_sha256,
    grayscale,
    signed_range,
    square,
    standardised,
    unit_range,
)

PHOTOGRAPHS = ("astronaut.png", "camera.png", "chelsea.png", "coffee.png", "hubble_deep_field.jpg", "microaneurysms.png", "rocket.jpg")


def picture(name):
    return decode((photographs() / name).read_bytes()).value


def opened(name):
    return Image.open(photographs() / name).convert("RGB")


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_clip_sees_what_transformers_gives_it(name):
    reference = np.asarray(CLIPImageProcessorPil()(opened(name))["pixel_values"][0])
    assert np.abs(standardised([cropped(picture(name))], OPENAI)[0] - reference).max() < 1e-6


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_dinov2_sees_what_transformers_gives_it(name):
    processor = BitImageProcessorPil(size={"shortest_edge": 224}, image_mean=IMAGENET.mean, image_std=IMAGENET.deviation)
    reference = np.asarray(processor(opened(name))["pixel_values"][0])
    assert np.abs(standardised([cropped(picture(name))], IMAGENET)[0] - reference).max() < 1e-6


@pytest.mark.parametrize("size", [(224, 224), (225, 224), (3, 300), (300, 3), (1, 1), (511, 223)])
def test_odd_sizes_are_cropped_as_transformers_crops_them(size):
    pixels = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), np.uint8)
    reference = np.asarray(CLIPImageProcessorPil()(Image.fromarray(pixels), input_data_format="channels_last")["pixel_values"][0])
    assert np.abs(standardised([cropped(Picture(pixels, ""))], OPENAI)[0] - reference).max() < 1e-6


def test_a_crop_is_made_once_and_shared():
    cat = picture("chelsea.png")
    assert cropped(cat) is cropped(cat)
    assert cropped(cat, 256).shape == (256, 256, 3)


def test_lpips_sees_the_prediction_scaled_to_its_reference_first():
    cat, image = picture("chelsea.png"), opened("chelsea.png")
    twice = image.resize((640, 427), Image.Resampling.BICUBIC).resize((256, 256), Image.Resampling.BICUBIC)
    expected = np.asarray(twice, np.float32).transpose(2, 0, 1) / 127.5 - 1
    assert np.abs(square(cat, (640, 427)).values - expected).max() < 1e-6
    assert np.abs(square(cat).values - square(cat, (640, 427)).values).max() > 0.01


def test_ranges_are_types_and_hold():
    unit = unit_range(picture("chelsea.png").pixels)
    signed = signed_range(unit)
    assert (unit.values.min(), unit.values.max()) == (0.0, pytest.approx(231 / 255))
    assert np.abs(signed.values - (unit.values * 2 - 1)).max() < 1e-6
    with pytest.raises(ValueError, match="outside"):
        UnitPixels(signed.values)
    with pytest.raises(ValueError, match="outside"):
        SignedPixels(signed.values * 2)
    with pytest.raises(ValueError, match="outside"):
        SignedPixels(np.full((3, 2, 2), np.nan, np.float32))
    with pytest.raises(ValueError, match="float32"):
        SignedPixels(np.zeros((2, 2, 3), np.float32))


def test_the_grayscale_twin_has_no_colours_and_a_name_of_its_own():
    cat = picture("chelsea.png")
    cropped(cat)
    twin = grayscale(cat)
    assert (twin.pixels == np.asarray(opened("chelsea.png").convert("L").convert("RGB"))).all()
    assert twin.sha256 == gray_sha256(cat.sha256) != cat.sha256
    assert (cropped(twin) != cropped(cat)).any()
