"""BRISQUE: how far an image's local statistics are from those of natural photographs (Mittal, Moorthy and Bovik 2012). Lower is better.

36 features of two scales and a support vector regression on human opinions of distorted photographs (LIVE), as in the authors' release:
about 0 for a pristine photograph and 100 for a ruined one, with no bound. It was made for photographs; a drawing is not one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.images.picture import Pixels

Array = NDArray[np.float64]

FEATURES = 36
RADIUS, SIGMA = 3, 7 / 6
"""Of the Gaussian window: 7 x 7."""

SHAPES = np.arange(200, 10001) / 1000
"""Shape parameters that a fit may choose from."""


@dataclass(frozen=True, slots=True, eq=False)
class BrisqueModel:
    """A radial-basis support vector regression: `coefficients` (s,), `vectors` (s, 36), features scaled from [least, most] to [-1, 1]."""

    gamma: float
    rho: float
    coefficients: Array
    vectors: Array
    least: Array
    most: Array

    def score(self, features: Array) -> float:
        """The opinion that the regression predicts from 36 features."""
        scaled = 2 * (features - self.least) / (self.most - self.least) - 1
        distances = np.square(self.vectors - scaled).sum(axis=1)
        return float(self.coefficients @ np.exp(-self.gamma * distances) - self.rho)


def brisque_model(text: str, ranges: Mapping[str, Sequence[float]]) -> BrisqueModel:
    """A model in libsvm's text form, and the `min_` and `max_` of its features. Raises ValueError if it is of another kind."""
    header, _, body = text.partition("SV\n")
    told = dict(line.split(" ", 1) for line in header.splitlines() if line)
    if told.get("svm_type") != "epsilon_svr" or told.get("kernel_type") != "rbf":
        raise ValueError("no epsilon-SVR with a radial basis")
    rows = [line.split() for line in body.splitlines() if line.strip()]
    vectors = np.zeros((len(rows), FEATURES))
    for vector, row in zip(vectors, rows, strict=True):
        for entry in row[1:]:
            index, value = entry.split(":")
            vector[int(index) - 1] = float(value)
    least, most = (np.array(ranges[name], np.float64) for name in ("min_", "max_"))
    if least.shape != (FEATURES,) or most.shape != (FEATURES,) or len(rows) != int(told["total_sv"]):
        raise ValueError(f"{len(rows)} support vectors and {len(least)} ranges")
    return BrisqueModel(float(told["gamma"]), float(told["rho"]), np.array([float(row[0]) for row in rows]), vectors, least, most)


def features(pixels: Pixels) -> Array:
    """(36,) of an image: 18 at its own scale, 18 at half of it; not numbers where there is but one grey."""
    from PIL import Image

    grey = Image.fromarray(pixels).convert("L").convert("F")
    if grey.getextrema()[0] == grey.getextrema()[1]:
        return np.full(FEATURES, np.nan)
    half = grey.resize((max(1, -(-grey.width // 2)), max(1, -(-grey.height // 2))), Image.Resampling.BICUBIC)
    return np.concatenate([_of_scale(np.asarray(each, np.float64)) for each in (grey, half)])


def _of_scale(grey: Array) -> Array:
    from scipy.ndimage import correlate1d

    window = np.exp(-np.square(np.arange(-RADIUS, RADIUS + 1)) / (2 * SIGMA**2))
    window /= window.sum()

    def blurred(array: Array) -> Array:
        rows: Array = correlate1d(array, window, axis=0, mode="constant")
        columns: Array = correlate1d(rows, window, axis=1, mode="constant")
        return columns

    mean = blurred(grey)
    deviation = np.sqrt(np.abs(blurred(np.square(grey)) - np.square(mean)))
    contrast = (grey - mean) / (deviation + 1)
    found = list(_symmetric(contrast))
    for shift in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        found += _asymmetric(contrast * np.roll(contrast, shift, axis=(0, 1)))
    return np.array(found)


@functools.cache
def _ratios() -> tuple[Array, Array, Array]:
    """For each of `SHAPES`: E[x^2] / E[|x|]^2 of a generalised Gaussian, its inverse, and the factor of the asymmetric mean."""
    from scipy.special import gamma

    one, two, three = gamma(1 / SHAPES), gamma(2 / SHAPES), gamma(3 / SHAPES)
    ratio = one * three / two**2
    return ratio, 1 / ratio, two / one * np.sqrt(one / three)


def _symmetric(values: Array) -> tuple[float, float]:
    """Shape and variance of a generalised Gaussian, by moments."""
    variance, spread = np.square(values).mean(), np.abs(values).mean()
    ratio = variance / spread**2 if spread > 0 else np.inf
    return float(SHAPES[np.abs(_ratios()[0] - ratio).argmin()]), float(variance)


def _asymmetric(values: Array) -> tuple[float, float, float, float]:
    """Shape, mean, left and right variance of an asymmetric generalised Gaussian, by moments (Lasmar, Stitou and Berthoumieu 2009)."""
    left, right = (float(np.square(side).mean()) if side.size else 0.0 for side in (values[values < 0], values[values > 0]))
    total = np.square(values).mean()
    share = np.abs(values).mean() ** 2 / total if total > 0 else 0.0
    skew = np.sqrt(left / right) if right > 0 else 1.0
    share *= (skew**3 + 1) * (skew + 1) / (skew**2 + 1) ** 2
    at = int(np.square(_ratios()[1] - share).argmin())
    return float(SHAPES[at]), float((np.sqrt(right) - np.sqrt(left)) * _ratios()[2][at]), left, right
