"""Drawings with their classes, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.scenes.drawing import draw_scene
from engine.scenes.splitting import draw_scenes


@dataclass(frozen=True, slots=True, eq=False)
class Drawings:
    """`pixels` (n, size, size, 3) uint8 and `labels` (n, attributes) int64."""

    pixels: Tensor
    labels: Tensor


def drawings(count: int, rng: np.random.Generator, *, held_out: bool) -> Drawings:
    """`count` scenes of one side of the split, drawn."""
    scenes = draw_scenes(count, rng, held_out=held_out)
    pixels = np.stack([draw_scene(scene, rng) for scene in scenes])
    return Drawings(torch.from_numpy(pixels), torch.tensor([scene.labels() for scene in scenes]))
