"""LPIPS equals the reference package's values (`make test-lpips` makes them anew), and takes no [0, 1]."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from photographs import photographs
from PIL import Image, ImageFilter

from actors.lpips import Lpips
from actors.lpips_networks import read_lpips
from actors.plain_pickle import read_numbers
from actors.vision_models import make_perceptual
from actors.vision_packages import LPIPS_ALEX, LPIPS_VGG, package_files
from engine.errors import ModelError
from engine.images.picture import Picture
from engine.images.preprocessing import square, unit_range

GOLDENS = json.loads((Path(__file__).parents[2] / "goldens" / "lpips.json").read_text())


def picture(name):
    file, _, blurred = name.partition(" ")
    image = Image.open(photographs() / file).convert("RGB")
    return Picture(np.asarray(image.filter(ImageFilter.GaussianBlur(2)) if blurred else image), name)


def distance(model, pair):
    one, other = (picture(name) for name in pair)
    return model.distance(*model.features([square(one, other.size), square(other)]))


@pytest.mark.parametrize("index", range(len(GOLDENS["pairs"])))
def test_alex_equals_the_package(alex, index):
    assert distance(alex, GOLDENS["pairs"][index]) == pytest.approx(GOLDENS["values"][LPIPS_ALEX][index], abs=1e-6)


@pytest.mark.parametrize("index", [0, 2])
def test_vgg_equals_the_package(index):
    assert distance(make_perceptual(LPIPS_VGG), GOLDENS["pairs"][index]) == pytest.approx(GOLDENS["values"][LPIPS_VGG][index], abs=1e-6)


def test_an_image_is_at_no_distance_from_itself_and_all_others_are_further(alex):
    cat, coffee = (square(picture(name)) for name in ("chelsea.png", "coffee.png"))
    first, again, other = alex.features([cat, cat, coffee])
    assert alex.distance(first, again) == 0
    assert alex.distance(first, other) == pytest.approx(alex.distance(other, first))
    assert alex.distance(first, other) > 0.5


def test_features_are_the_same_in_any_batch(alex):
    squares = [square(picture(name)) for name in ("chelsea.png", "coffee.png", "rocket.jpg")]
    alone = [alex.features([each])[0] for each in squares]
    assert max(alex.distance(a, b) for a, b in zip(alone, alex.features(squares), strict=True)) < 1e-9


def test_pixels_from_0_to_1_are_no_input(alex):
    with pytest.raises(TypeError, match="SignedPixels"):
        alex.features([unit_range(picture("chelsea.png").pixels)])


def test_a_closed_distance_says_so():
    model = make_perceptual(LPIPS_ALEX)
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.features([square(picture("chelsea.png"))])


def test_weights_of_another_network_are_refused():
    files = package_files(LPIPS_ALEX)
    with pytest.raises(ModelError, match="no LPIPS weights of vgg"):
        read_lpips(files.folder / files.weights, "vgg")
    with pytest.raises(ModelError, match="no LPIPS weights"):
        Lpips(files, "vgg")


@pytest.mark.parametrize("what", [torch.nn.Linear, print, Path, np.load])
def test_a_pickle_that_names_anything_but_arrays_is_refused(tmp_path, what):
    (tmp_path / "weights.ckpt").write_bytes(pickle.dumps({"a": what}))
    with pytest.raises(ModelError, match="is no array"):
        read_numbers(tmp_path / "weights.ckpt")


def test_a_pickle_of_numbers_is_read(tmp_path):
    (tmp_path / "weights.ckpt").write_bytes(pickle.dumps({"a": np.arange(3.0), "b": [1.5]}))
    found = read_numbers(tmp_path / "weights.ckpt")
    assert found["a"].tolist() == [0, 1, 2]
    assert found["b"] == [1.5]
    (tmp_path / "weights.ckpt").write_bytes(b"\x80\x04 damaged")
    with pytest.raises(ModelError, match="no plain numbers"):
        read_numbers(tmp_path / "weights.ckpt")
