"""BRISQUE with the regression that the package `brisque` carries: an image's quality by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from actors.models import ModelFiles
from actors.plain_pickle import read_numbers
from engine.errors import ModelError
from engine.images.brisque import brisque_model, features
from engine.images.picture import Picture


class Brisque:
    """The quality of pictures at their own size; lower is better. Raises ModelError if the files hold another model."""

    higher_is_better = False

    def __init__(self, files: ModelFiles) -> None:
        self.id = brisque_id(files)
        try:
            text = (files.folder / files.weights).read_text("ascii")
            self._model = brisque_model(text, read_numbers(files.folder / "normalize.pickle"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"{files.folder} holds no BRISQUE model: {error}.", remedy="Install it again.", code="model-damaged"
            ) from error

    def measure(self, pictures: Sequence[Picture], vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        """(n,); not a number for a picture without contrast."""
        return np.array([self._model.score(features(picture.pixels)) for picture in pictures], np.float64)


def brisque_id(files: ModelFiles) -> str:
    """Model and revision; it computes in float64."""
    return f"{files.id}+float64"
