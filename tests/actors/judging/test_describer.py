"""Images in words: colours, light and labels of real photographs; what is no image is named."""

import numpy as np
import pytest
import skimage.data

from actors.describer import Describer, describer_id
from engine.errors import Missing
from engine.images.colour_names import colouring
from engine.images.encoding import encoded
from engine.outcome import Answered, Failed

CAT, COFFEE = (np.ascontiguousarray(photo()) for photo in (skimage.data.chelsea, skimage.data.coffee))
STORED = {"cat": encoded(CAT, "png"), "coffee": encoded(COFFEE, "png"), "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>"}


def read(name):
    if name not in STORED:
        raise Missing(f"{name} is gone")
    return STORED[name]


@pytest.fixture(scope="module")
def describer():
    return Describer(read)


def test_photographs_are_told_by_what_is_on_them(describer):
    cat, coffee = (outcome.value for outcome in describer.describe(["cat", "coffee"]))
    assert "cat" in cat
    assert any(word in coffee for word in ("espresso", "cup", "coffee"))
    assert describer.id == describer_id()


def test_a_description_does_not_depend_on_the_batch(describer):
    together = describer.describe(["cat", "svg", "coffee", "cat"])
    assert together[0] == together[3] == describer.describe(["cat"])[0]
    assert isinstance(together[2], Answered)


def test_what_is_no_image_or_gone_fails_by_name(describer):
    svg, gone = describer.describe(["svg", "gone"])
    assert isinstance(svg, Failed)
    assert isinstance(gone, Failed)
    assert gone.code == "image-missing"


@pytest.mark.parametrize(
    ("colour", "name", "light"),
    [
        ((250, 250, 250), "white", "bright"),
        ((20, 30, 90), "dark blue", "dark"),
        ((205, 40, 40), "red", "medium"),
        ((60, 150, 65), "green", "medium"),
        ((10, 10, 10), "black", "dark"),
        ((150, 195, 232), "light blue", "bright"),
    ],
)
def test_plain_colours_have_their_names(colour, name, light):
    found = colouring(np.full((40, 30, 3), colour, np.uint8))
    assert found.shares == ((name, 1.0),)
    assert found.light == light


def test_shares_are_of_the_pixels_largest_first():
    pixels = np.zeros((10, 10, 3), np.uint8)
    pixels[:6] = (250, 250, 250)
    pixels[6, :5] = (205, 40, 40)
    assert colouring(pixels).shares == (("white", 0.6), ("black", 0.35))
