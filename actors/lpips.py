"""LPIPS: the learned perceptual distance of two images (Zhang et al. 2018, version 0.1 of its linear layers). Lower is more alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from actors.lpips_networks import BACKBONES, layers, read_lpips
from actors.models import ModelFiles
from actors.placement import Placement
from engine.errors import ModelError
from engine.images.preprocessing import LPIPS_SIDE, SignedPixels

if TYPE_CHECKING:
    import torch

SHIFT, SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
"""ImageNet's mean and deviation for pixels in [-1, 1], rounded as the authors did."""

EPSILON = 1e-10


class Lpips:
    """Features of images, and distances between features: those of a reference are computed once and compared with many predictions.

    A feature is one vector: the normalised outputs of five layers, weighted so that the squared Euclidean distance is LPIPS.

    Args:
        net: `alex` or `vgg`.
        at_once: images in one forward pass; bounds memory and changes nothing else.

    Raises ModelError if the file holds other weights.
    """

    def __init__(self, files: ModelFiles, net: str, placement: Placement | None = None, *, at_once: int = 8) -> None:
        import torch

        self._placement = placement or Placement()
        self.id = lpips_id(files, self._placement)
        self._backbone, self.at_once = BACKBONES[net], at_once
        weights = read_lpips(files.folder / files.weights, net)
        torch.set_num_threads(self._placement.threads)
        self._kernels: list[torch.Tensor] | None = [self._placement.tensor(kernel) for kernel in weights.kernels]
        self._biases = [self._placement.tensor(bias) for bias in weights.biases]
        # Trained with the weights kept from falling below 0.
        self._roots = [self._placement.tensor(linear).clamp(min=0).sqrt().reshape(1, -1, 1, 1) for linear in weights.linear]

    def features(self, pixels: Sequence[SignedPixels]) -> list[torch.Tensor]:
        """One vector an image, on the model's device; all images of one size. Raises TypeError for pixels that are not in [-1, 1]."""
        import numpy as np
        import torch

        if self._kernels is None:
            raise ModelError(f"The distance {self.id} is closed.", code="model-closed")
        if not all(isinstance(each, SignedPixels) for each in pixels):
            raise TypeError("LPIPS compares SignedPixels, from -1 to 1; [0, 1] would give plausible and wrong distances")
        shift, scale = (torch.tensor(part, device=self._placement.device).reshape(1, 3, 1, 1) for part in (SHIFT, SCALE))
        found: list[torch.Tensor] = []
        with torch.inference_mode():
            for start in range(0, len(pixels), self.at_once):
                batch = torch.from_numpy(np.stack([each.values for each in pixels[start : start + self.at_once]]))
                x = ((batch.to(self._placement.device) - shift) / scale).to(self._placement.dtype)
                weighted = []
                for output, root in zip(layers(self._backbone, self._kernels, self._biases, x), self._roots, strict=True):
                    length = output.square().sum(dim=1, keepdim=True).sqrt()
                    area = output.shape[2] * output.shape[3]
                    weighted.append((output / (length + EPSILON) * (root / area**0.5)).flatten(1))
                # A view of the batch would keep all of it for as long as any one image is kept.
                found += [row.clone() for row in torch.cat(weighted, dim=1)]
        return found

    def distance(self, first: torch.Tensor, second: torch.Tensor) -> float:
        """LPIPS of two images by their features."""
        return float((first.float() - second.float()).square().sum())

    def close(self) -> None:
        """Let go of the weights; `features` raises afterwards."""
        self._kernels = None
        self._biases, self._roots = [], []


def lpips_id(files: ModelFiles, placement: Placement) -> str:
    """Model, revision, preprocessing and precision."""
    return f"{files.id}+square{LPIPS_SIDE}+{placement.precision}"
