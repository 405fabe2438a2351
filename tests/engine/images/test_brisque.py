"""BRISQUE's parts recover what they estimate, and its regression knows a ruined photograph from a good one."""

import io

import numpy as np
import pytest
from photographs import photographs
from PIL import Image, ImageFilter

from actors.brisque import Brisque
from actors.vision_packages import BRISQUE, package_files
from engine.images import brisque
from engine.images.brisque import brisque_model, features
from engine.images.picture import Picture

PHOTOGRAPHS = ("astronaut.png", "camera.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg")


@pytest.fixture(scope="module")
def measure():
    return Brisque(package_files(BRISQUE))


def score(measure, image):
    return float(measure.measure([Picture(np.asarray(image.convert("RGB")), "")], {})[0])


def opened(name):
    return Image.open(photographs() / name).convert("RGB")


def compressed(image, quality):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(file)


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_every_step_of_damage_raises_the_score(measure, name):
    image = opened(name)
    assert score(measure, image) < score(measure, compressed(image, 30)) < score(measure, compressed(image, 8))
    assert (
        score(measure, image)
        < score(measure, image.filter(ImageFilter.GaussianBlur(1)))
        < score(measure, image.filter(ImageFilter.GaussianBlur(4)))
    )


def test_good_photographs_score_low_and_ruined_ones_high(measure):
    good = [score(measure, opened(name)) for name in PHOTOGRAPHS]
    ruined = [score(measure, opened(name).filter(ImageFilter.GaussianBlur(4))) for name in PHOTOGRAPHS]
    assert max(good) < 30
    assert min(ruined) > 60


@pytest.mark.parametrize("shape", [0.7, 1.0, 2.0, 4.0])
def test_the_fit_recovers_the_shape_and_variance_of_a_generalised_gaussian(shape):
    dice = np.random.default_rng(0)
    values = dice.gamma(1 / shape, 1, 400_000) ** (1 / shape) * dice.choice([-1, 1], 400_000)
    found, variance = brisque._symmetric(values)
    assert found == pytest.approx(shape, rel=0.03)
    assert variance == pytest.approx(values.var(), rel=0.01)


def test_the_fit_recovers_both_sides_of_an_asymmetric_one():
    dice = np.random.default_rng(0)
    left = dice.random(600_000) < 1 / 4  # widths 1 and 3: a side's share is its width
    values = np.where(left, -1, 3) * np.abs(dice.normal(size=600_000))
    shape, mean, left_variance, right_variance = brisque._asymmetric(values)
    assert shape == pytest.approx(2, rel=0.03)
    assert (left_variance, right_variance) == (pytest.approx(1, rel=0.02), pytest.approx(9, rel=0.02))
    assert mean == pytest.approx(2 * np.sqrt(2 / np.pi), rel=0.02)


def test_what_has_no_contrast_has_no_score(measure):
    assert np.isnan(score(measure, Image.new("RGB", (64, 64), "teal")))
    assert features(np.zeros((1, 1, 3), np.uint8)).shape == (36,)


def test_a_model_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="radial"):
        brisque_model("svm_type c_svc\nkernel_type rbf\nSV\n", {"min_": [0] * 36, "max_": [1] * 36})
    text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nrho -2\ntotal_sv 2\nSV\n3 1:1 36:-1 \n"
    with pytest.raises(ValueError, match="1 support"):
        brisque_model(text, {"min_": [0] * 36, "max_": [1] * 36})


def test_the_regression_is_the_sum_of_its_kernels():
    text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nrho -2\ntotal_sv 1\nSV\n3 1:1 36:-1 \n"
    model = brisque_model(text, {"min_": [0.0] * 36, "max_": [2.0] * 36})
    assert model.score(np.ones(36)) == pytest.approx(2 + 3 * np.exp(-0.5 * 2))
