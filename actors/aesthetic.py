"""An aesthetic score from CLIP's vector of an image: LAION's predictors, a stack of linear layers, from a local safetensors file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.images.picture import Picture
from engine.keys import file_sha256


class AestheticHead:
    """Layer after layer (the released heads have nothing between them) on the unit vectors of one encoder; higher is better.

    Args:
        file: safetensors with `...N.weight` (out, in) and `...N.bias` (out,) for growing numbers N, the last giving one value.
        encoder: the id of the encoder whose vectors it was trained on.

    Raises ModelError if the file is missing, damaged or no such stack; `measure` raises it for vectors of another width.
    """

    higher_is_better = True

    def __init__(self, file: Path, encoder: str) -> None:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            tensors = load_file(file)
            self.id = aesthetic_id(file, encoder)
        except (OSError, SafetensorError) as error:
            raise ModelError(
                f"{file} holds no tensors: {error}.", remedy="Give a head as a safetensors file.", code="model-damaged"
            ) from error
        self._encoder = encoder
        self._layers = _layers(tensors)
        widths = [weight.shape[1] for weight, _ in self._layers] + [1]
        if not self._layers or any(
            weight.shape[0] != width or len(bias) != width for (weight, bias), width in zip(self._layers, widths[1:], strict=True)
        ):
            raise ModelError(f"{file} is no stack of linear layers that ends in one value.", code="model-unsupported")

    def measure(self, pictures: Sequence[Picture], vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        """(n,)."""
        x = vectors[self._encoder].astype(np.float64)
        if x.shape[1] != self._layers[0][0].shape[1]:
            raise ModelError(
                f"{self.id} reads vectors of {self._layers[0][0].shape[1]} values, not of {x.shape[1]}.",
                remedy="Name the encoder that the head was trained on (LAION's: CLIP ViT-L/14 or ViT-B/32).",
                code="model-unsupported",
            )
        for weight, bias in self._layers:
            x = x @ weight.T + bias
        return x[:, 0]


def aesthetic_id(file: Path, encoder: str) -> str:
    """The head's name and weights, and the encoder that it reads. Raises ModelError if the file is missing."""
    try:
        return f"{file.stem}@{file_sha256(file)[:8]}+{encoder}"
    except OSError as error:
        raise ModelError(
            f"{file} cannot be read: {error.strerror}.", remedy="Give a head as a safetensors file.", code="model-missing"
        ) from error


def _layers(tensors: Mapping[str, NDArray[np.float32]]) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """(weight, bias) in the order of their numbers; a head of one layer needs none."""
    names = [name.removesuffix(".weight").removesuffix("weight") for name in tensors if name.endswith("weight")]
    ordered = sorted(names, key=lambda name: int(digits) if (digits := name.rpartition(".")[2]).isdigit() else -1)
    found = []
    for name in ordered:
        joined = f"{name}." if name else ""
        weight, bias = tensors[f"{joined}weight"], tensors.get(f"{joined}bias")
        found.append((weight.astype(np.float64), np.zeros(len(weight)) if bias is None else bias.astype(np.float64)))
    return found
