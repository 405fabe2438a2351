"""Images as a vision-language model is sent them: made smaller where they have too many pixels."""

from __future__ import annotations

from engine.images.decoding import decode
from engine.images.encoding import encoded
from engine.outcome import Failed


def shrunk(data: bytes, max_pixels: int) -> bytes | Failed:
    """An image file of at most `max_pixels` pixels, as PNG; a `Failed` for what is no image."""
    import numpy as np
    from PIL import Image

    opened = decode(data)
    if isinstance(opened, Failed):
        return opened
    pixels = opened.value.pixels
    height, width = pixels.shape[:2]
    if height * width <= max_pixels:
        return encoded(pixels, "png")
    scale = (max_pixels / (height * width)) ** 0.5
    size = (max(1, int(width * scale)), max(1, int(height * scale)))
    return encoded(np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS)), "png")
