"""A file's bytes to a picture: upright, RGB on white, 8 bits; whatever is no such picture ends as a named failure.

Colour profiles are not applied, as in the reference implementations of the metrics.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import InputError
from engine.images.orientation import orientation
from engine.images.picture import Picture, Pixels
from engine.keys import sha256
from engine.outcome import Answered, Failed

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

EMPTY = "image-empty"
"""Failed, permanent: the file has no bytes."""

NO_IMAGE = "image-not-an-image"
"""Failed, permanent: the bytes are of none of the formats that are read, whatever the file is called."""

TRUNCATED = "image-truncated"
"""Failed, permanent: the file ends before the image does."""

DAMAGED = "image-damaged"
"""Failed, permanent: the file is whole but holds no image that can be decoded."""

TOO_LARGE = "image-too-large"
"""Failed, permanent: more pixels than are decoded, as the header says; nothing was unpacked."""

TOO_NARROW = "image-too-narrow"
"""Failed, permanent: one side is so much longer than the other that scaling the shorter one up would exhaust the memory."""

ANIMATED = "image-animated"
"""Failed, permanent: several frames, and nothing says which of them is meant."""

CODES = (EMPTY, NO_IMAGE, TRUNCATED, DAMAGED, TOO_LARGE, TOO_NARROW, ANIMATED)

MAX_PIXELS = 1 << 26
"""8192 x 8192; 200 MB once decoded."""

MAX_ASPECT = 100
"""Longer side divided by shorter side."""

FORMATS = "PNG, JPEG, WebP, GIF or BMP"

_TRANSPOSED: Mapping[int, str] = MappingProxyType(
    {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270", 7: "TRANSVERSE", 8: "ROTATE_90"}
)


def decode(data: bytes, *, max_pixels: int = MAX_PIXELS) -> Answered[Picture] | Failed:
    """The picture in a PNG, JPEG, WebP, GIF or BMP file; never raises for what the bytes are.

    Transparency is laid on white, EXIF orientation applied, CMYK, palettes and grey converted; grey of 16 bits is scaled to 8 (libpng's
    rounding), colours of 16 bits keep their upper 8.
    """
    try:
        return Answered(Picture(_pixels(_opened(data, max_pixels)), sha256(data)))
    except InputError as error:
        return Failed(error.code, error.message)
    except Exception as error:  # noqa: BLE001 - decoders raise whatever they stumble over: IndexError, struct.error, zlib.error
        return _unreadable(data, error)


def size_of(data: bytes) -> tuple[int, int]:
    """(width, height) in pixels as `decode` would give them, from the header alone. Raises InputError with the codes above."""
    try:
        image = _opened(data, MAX_PIXELS)
    except InputError:
        raise
    except Exception as error:
        failed = _unreadable(data, error)
        raise InputError(failed.message, code=failed.code) from error
    width, height = image.size
    return (height, width) if orientation(image.info.get("exif", b"")) >= 5 else (width, height)


def _opened(data: bytes, max_pixels: int) -> ImageFile:
    """The image by its header. Raises InputError, and whatever a decoder raises."""
    if not data:
        raise InputError("The file is empty.", code=EMPTY)
    kind = _kind(data)
    if kind is None:
        raise InputError(f"The bytes are no {FORMATS} image.", code=NO_IMAGE)
    if kind == "png" and not _whole(data):
        raise InputError("The file ends before the image does.", code=TRUNCATED)
    if kind == "png" and b"\0\0\0\x08acTL" in data[: data.find(b"IDAT")]:
        raise InputError("The file holds an animation.", code=ANIMATED)
    image = _headers()[kind](io.BytesIO(data))
    width, height = image.size
    if width * height > max_pixels:
        raise InputError(f"{width} x {height} pixels are more than {max_pixels}.", code=TOO_LARGE)
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise InputError(f"Of {width} x {height} pixels one side is more than {MAX_ASPECT} times the other.", code=TOO_NARROW)
    if getattr(image, "n_frames", 1) > 1:
        raise InputError("The file holds an animation.", code=ANIMATED)
    return image


@functools.cache
def _headers() -> Mapping[str, type[ImageFile]]:
    """What reads the header of each kind, past `PIL.Image.open`: that warns, and no filter of warnings holds for one thread alone.

    What cameras add to a JPEG, a preview or a depth map, is left: the first image is the photograph.
    """
    from PIL.BmpImagePlugin import BmpImageFile
    from PIL.GifImagePlugin import GifImageFile
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile
    from PIL.WebPImagePlugin import WebPImageFile

    class Jpeg(JpegImageFile):
        def _read_dpi_from_exif(self) -> None:
            """Nobody asks for it, and Pillow warns of damaged blocks."""

    return {"png": PngImageFile, "jpeg": Jpeg, "webp": WebPImageFile, "gif": GifImageFile, "bmp": BmpImageFile}


def _pixels(image: ImageFile) -> Pixels:
    """(height, width, 3) uint8."""
    from PIL import Image

    image.load()
    flat: Image.Image = image
    if image.mode.startswith("I"):
        grey = np.asarray(image).astype(np.int64)
        scaled = ((grey * 255 + 32895) >> 16).astype(np.uint8)
        # A colour that stands for transparency (PNG tRNS) is white once laid on white.
        flat = Image.fromarray(np.where(grey == image.info.get("transparency", -1), np.uint8(255), scaled))
    elif image.has_transparency_data:
        layer = image.convert("RGBA")
        flat = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
    flat = flat.convert("RGB")
    turn = _TRANSPOSED.get(orientation(image.info.get("exif", b"")))
    if turn is not None:
        flat = flat.transpose(Image.Transpose[turn])
    return np.array(flat)


def _unreadable(data: bytes, error: Exception) -> Failed:
    """Which of the failures it is that a decoder stumbled."""
    if not _whole(data):
        return Failed(TRUNCATED, "The file ends before the image does.")
    return Failed(DAMAGED, f"The image cannot be decoded ({type(error).__name__}).")


def _kind(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    marks = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"BM": "bmp"}
    return next((kind for mark, kind in marks.items() if data.startswith(mark)), None)


def _whole(data: bytes) -> bool:
    """Whether the end is there that the format gives a file."""
    match _kind(data):
        case "png":
            return b"IEND\xaeB`\x82" in data
        case "jpeg":
            return b"\xff\xd9" in data[-64:]  # some writers pad
        case "gif":
            return data.rstrip(b"\0").endswith(b"\x3b")
        case "webp":
            return len(data) >= 8 + int.from_bytes(data[4:8], "little")
        case _:
            return len(data) >= int.from_bytes(data[2:6], "little")
