"""Pickles of numbers from packages: read without the power to call anything but numpy's own reconstruction of arrays."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelError


class _Numbers(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        # Pickles of NumPy 1 name modules that NumPy 2 keeps under an underscore and warns about.
        match module, name:
            case ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct"):
                return np._core.multiarray._reconstruct  # type: ignore[attr-defined]
            case ("numpy", "ndarray"):
                return np.ndarray
            case ("numpy", "dtype"):
                return np.dtype
            case _:
                raise pickle.UnpicklingError(f"{module}.{name} is no array")


def read_numbers(file: Path) -> Any:
    """What a pickle of dicts, lists, numbers and float arrays holds. Raises ModelError if it names anything else or is damaged."""
    try:
        with file.open("rb") as opened:
            return _Numbers(opened).load()
    except FileNotFoundError as error:
        raise ModelError(f"{file} is missing.", remedy="Install the model again.", code="model-missing") from error
    except Exception as error:
        raise ModelError(f"{file} holds no plain numbers: {error}.", remedy="Install the model again.", code="model-damaged") from error
