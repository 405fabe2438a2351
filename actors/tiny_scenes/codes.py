"""The vector of each class: what the reader writes and the denoiser reads, fixed before either is trained."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.scenes.vocabulary import ATTRIBUTES, classes

WIDTH = 64
SEED = 20_260_101


def class_codes() -> Tensor:
    """(attributes, most classes, width) float32: directions at random, each of length sqrt(width); zeros where there is no class."""
    most = max(len(classes(attribute)) for attribute in ATTRIBUTES)
    directions = torch.randn(len(ATTRIBUTES), most, WIDTH, generator=torch.Generator().manual_seed(SEED))
    codes: Tensor = directions / torch.linalg.vector_norm(directions, dim=2, keepdim=True) * WIDTH**0.5
    for row, attribute in enumerate(ATTRIBUTES):
        codes[row, len(classes(attribute)) :] = 0
    return codes
