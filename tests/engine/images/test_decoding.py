"""Every bad image is a named outcome, and every good one the picture that a person would see."""

import io
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from photographs import photographs
from PIL import Image, ImageOps

from engine.errors import InputError
from engine.images import decoding
from engine.images.decoding import decode, size_of
from engine.keys import sha256
from engine.outcome import Answered, Failed

CAT = (photographs() / "chelsea.png").read_bytes()
ROCKET = (photographs() / "rocket.jpg").read_bytes()


def saved(image, format, **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


@pytest.fixture(scope="module")
def cat():
    return Image.open(io.BytesIO(CAT)).convert("RGB").resize((90, 60))


def picture(data):
    outcome = decode(data)
    assert isinstance(outcome, Answered), outcome
    return outcome.value


def code(data, **options):
    outcome = decode(data, **options)
    assert isinstance(outcome, Failed), outcome
    return outcome.code


@pytest.mark.parametrize("data", [CAT, ROCKET])
def test_a_photograph_is_what_pillow_sees_and_named_by_its_bytes(data):
    found = picture(data)
    assert (found.pixels == np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))).all()
    assert found.sha256 == sha256(data)
    assert size_of(data) == found.size


@pytest.mark.parametrize("share", [0.001, 0.01, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_a_file_that_ends_early_is_truncated(cat, format, share):
    data = saved(cat.resize((451, 300)), format)
    assert code(data[: max(16, int(len(data) * share))]) == decoding.TRUNCATED


def test_a_png_that_lacks_nothing_but_its_end_mark_is_truncated_too():
    assert code(CAT[:-4]) == decoding.TRUNCATED


def test_a_file_without_bytes_is_empty():
    assert code(b"") == decoding.EMPTY


@pytest.mark.parametrize(
    "data", [b'<svg xmlns="http://www.w3.org/2000/svg"/>', b"%PDF-1.7", b"MM\0*" + b"\0" * 40, b"\0" * 100, b"GIF", b"RIFF"]
)
def test_what_is_no_image_that_is_read_is_named_so_whatever_the_file_is_called(data):
    assert code(data) == decoding.NO_IMAGE


def test_a_bomb_is_refused_by_its_header_before_anything_is_unpacked():
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", b"never unpacked"), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    assert code(data) == decoding.TOO_LARGE
    with pytest.raises(InputError) as caught:
        size_of(data)
    assert caught.value.code == decoding.TOO_LARGE


def test_the_limit_is_a_number_of_pixels(cat):
    data = saved(cat, "PNG")
    assert isinstance(decode(data, max_pixels=90 * 60), Answered)
    assert code(data, max_pixels=90 * 60 - 1) == decoding.TOO_LARGE


def test_an_image_between_pillows_two_limits_is_refused_without_its_warning():
    assert code(saved(Image.new("1", (10_000, 9_500)), "PNG")) == decoding.TOO_LARGE


def test_a_strip_that_would_grow_without_bound_is_refused():
    assert code(saved(Image.new("L", (5, 501)), "PNG")) == decoding.TOO_NARROW
    assert picture(saved(Image.new("L", (5, 500)), "PNG")).size == (5, 500)


def test_damage_inside_a_whole_file_is_named():
    middle = len(CAT) // 2
    assert code(CAT[:middle] + b"\0" * 4000 + CAT[middle + 4000 :]) == decoding.DAMAGED


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_an_animation_is_no_single_image(cat, format):
    assert code(saved(cat, format, save_all=True, append_images=[cat.rotate(90)])) == decoding.ANIMATED


def test_the_preview_that_a_camera_adds_does_not_make_a_photograph_an_animation(cat):
    data = saved(cat, "MPO", save_all=True, append_images=[cat.resize((30, 20))])
    assert picture(data).size == cat.size


def test_transparency_is_laid_on_white():
    layer = Image.new("RGBA", (3, 2), (200, 0, 0, 128))
    layer.putpixel((0, 0), (0, 0, 0, 0))
    for format in ("PNG", "WEBP"):
        pixels = picture(saved(layer, format, lossless=True)).pixels
        assert pixels[0, 0].tolist() == [255, 255, 255]
        assert pixels[1, 2].tolist() == [227, 127, 127]


def test_a_palette_with_alpha_is_laid_on_white(cat):
    image = cat.quantize(4)
    clear = np.asarray(image) == 0
    pixels = picture(saved(image, "PNG", transparency=bytes([0, 255, 255, 255]))).pixels
    assert (pixels[clear] == 255).all()
    assert (pixels[~clear] == np.asarray(image.convert("RGB"))[~clear]).all()


def test_a_transparent_grey_is_laid_on_white():
    image = Image.fromarray(np.array([[7, 8]], np.uint8))
    assert picture(saved(image, "PNG", transparency=7)).pixels.tolist() == [[[255] * 3, [8] * 3]]


def test_cmyk_keeps_its_colours(cat):
    found = picture(saved(cat.convert("CMYK"), "JPEG", quality=95)).pixels
    assert np.abs(found.astype(int) - np.asarray(cat)).mean() < 4


def test_grey_of_16_bits_is_scaled_and_not_clipped():
    values = np.array([[0, 128, 129, 257, 32768, 65535]], np.uint16)
    assert picture(saved(Image.fromarray(values), "PNG")).pixels[0, :, 0].tolist() == [0, 0, 1, 1, 128, 255]


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_a_photograph_stands_upright(cat, format, turn):
    exif = Image.Exif()
    exif[0x0112] = turn
    data = saved(cat, format, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert (picture(data).pixels == np.asarray(upright)).all()
    assert size_of(data) == upright.size


@pytest.mark.parametrize(
    "exif", [b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\x7f", b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01", b"Exif\0\0none of it"]
)
def test_a_damaged_exif_block_turns_nothing_and_warns_of_nothing(cat, exif):
    assert picture(saved(cat, "JPEG", exif=exif)).size == cat.size


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_bytes_make_it_raise(data):
    """Warnings are errors here, so none leaks either."""
    whole = bytearray(data.draw(st.sampled_from(SMALL)))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    outcome = decode(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    assert isinstance(outcome, Answered) or outcome.code in decoding.CODES


SMALL = [
    saved(Image.linear_gradient("L").resize((20, 12)).convert(mode), format)
    for format, mode in (
        ("PNG", "RGB"),
        ("PNG", "LA"),
        ("PNG", "P"),
        ("JPEG", "RGB"),
        ("JPEG", "CMYK"),
        ("WEBP", "RGBA"),
        ("GIF", "P"),
        ("BMP", "RGB"),
    )
]


def test_threads_decode_side_by_side():
    with ThreadPoolExecutor(4) as pool:
        sizes = {found.value.size for found in pool.map(decode, [CAT, ROCKET] * 8) if isinstance(found, Answered)}
    assert sizes == {(451, 300), (640, 427)}
