"""Real photographs for tests and benchmarks: those inside scikit-image's wheel, which is never imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

CAPTIONS = {
    "astronaut.png": "a smiling woman astronaut in an orange space suit before a flag and a model of a space shuttle",
    "camera.png": "a man with a camera on a tripod",
    "chelsea.png": "a tabby cat looking to the side",
    "coffee.png": "a cup of espresso coffee with a spoon on a wooden table",
    "motorcycle_left.png": "a motorcycle in a garage",
    "rocket.jpg": "a rocket launching from its pad",
    "page.png": "a page of printed text from a book",
    "clock_motion.png": "a blurred clock on a wall",
    "coins.png": "rows of ancient coins",
    "brick.png": "a brick wall",
    "grass.png": "a lawn of grass",
    "gravel.png": "gravel and small stones",
    "moon.png": "craters on the surface of the moon",
    "hubble_deep_field.jpg": "galaxies and stars in deep space",
}
"""What each shows, in our words."""


def photographs() -> Path:
    """The folder that holds them. Raises LookupError if scikit-image is not installed."""
    spec = importlib.util.find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        raise LookupError("run `pip install --no-deps scikit-image==0.26.0`")
    return Path(spec.submodule_search_locations[0]) / "data"
