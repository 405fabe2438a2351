"""Images become files without loss, the same bytes each time, and nothing but pixels in them."""

import io
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.images.encoding import ENDINGS, encoded, thumbnail


def photograph(name: str = "astronaut.png"):
    """One of scikit-image's, 512 x 512."""
    spec = find_spec("skimage")
    assert spec
    assert spec.origin
    return np.asarray(Image.open(Path(spec.origin).parent / "data" / name).convert("RGB"))


def opened(data: bytes):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("format", ["png", "webp"])
def test_what_is_read_back_is_what_was_drawn(format):
    pixels = photograph()
    image = opened(encoded(pixels, format))
    assert image.format == format.upper() == ENDINGS[format].upper()
    assert (np.asarray(image.convert("RGB")) == pixels).all()


@pytest.mark.parametrize("format", ["png", "webp"])
def test_equal_pixels_are_equal_bytes_wherever_they_lie_in_memory(format):
    pixels = photograph()[:97, :65]
    assert not pixels.flags.c_contiguous
    assert encoded(pixels, format) == encoded(pixels.copy(), format)
    assert thumbnail(pixels) == thumbnail(pixels.copy())


def test_a_file_holds_pixels_and_no_text():
    pixels = photograph()
    for data in (encoded(pixels, "png"), encoded(pixels, "webp")):
        assert opened(data).info.keys() <= {"loop", "background", "timestamp", "duration"}
    png = encoded(pixels, "png")
    chunks, at = [], 8
    while at < len(png):
        chunks.append(png[at + 4 : at + 8])
        at += 12 + int.from_bytes(png[at : at + 4], "big")
    assert set(chunks) == {b"IHDR", b"IDAT", b"IEND"}
    assert opened(thumbnail(pixels)).info.keys() <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize(
    ("shape", "expected"), [((512, 512), (256, 256)), ((1024, 300), (75, 256)), ((3, 800), (256, 1)), ((40, 30), (30, 40))]
)
def test_a_thumbnail_is_256_px_at_most_and_never_larger_than_the_image(shape, expected):
    small = opened(thumbnail(np.resize(photograph(), (*shape, 3))))
    assert (small.format, small.size) == ("JPEG", expected)


def test_a_thumbnail_looks_like_its_image():
    pixels = photograph()
    small = np.asarray(opened(thumbnail(pixels)).convert("RGB")).astype(float)
    halved = pixels.reshape(256, 2, 256, 2, 3).mean((1, 3))
    assert abs(small - halved).mean() < 4


@pytest.mark.parametrize(
    "pixels", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused_before_anything_is_written(pixels):
    with pytest.raises(ValueError, match="pixels are"):
        encoded(pixels, "png")
    with pytest.raises(ValueError, match="pixels are"):
        thumbnail(pixels)
