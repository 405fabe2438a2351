"""EfficientNet-Lite0 (Tan and Le 2019; Lite: no squeeze-and-excitation, ReLU6): an image's 1000 ImageNet logits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    import torch

BLOCKS = (
    (1, 3, 1, 1),
    (2, 3, 2, 6),
    (2, 5, 2, 6),
    (3, 3, 2, 6),
    (3, 5, 1, 6),
    (4, 5, 2, 6),
    (1, 3, 1, 6),
)
"""(repeats, kernel, stride of the first, expansion) of each group."""

_EPSILON = 1e-3


class EfficientNetLite0:
    """The network with TensorFlow's `SAME` padding. Raises ModelError if the file holds other weights."""

    def __init__(self, file: Path) -> None:
        import torch

        try:
            state = torch.load(file, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise ModelError(f"{file} holds no weights of torch.", remedy="Install the model again.", code="model-damaged") from error
        self._layout = [
            (kernel, stride if first == 0 else 1, expansion) for repeats, kernel, stride, expansion in BLOCKS for first in range(repeats)
        ]
        self._folded: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        try:
            self._fold(state, "stem", "_conv_stem", "_bn0")
            for i, (_, _, expansion) in enumerate(self._layout):
                if expansion != 1:
                    self._fold(state, f"{i}.expand", f"_blocks.{i}._expand_conv", f"_blocks.{i}._bn0")
                self._fold(state, f"{i}.depthwise", f"_blocks.{i}._depthwise_conv", f"_blocks.{i}._bn1")
                self._fold(state, f"{i}.project", f"_blocks.{i}._project_conv", f"_blocks.{i}._bn2")
            self._fold(state, "head", "_conv_head", "_bn1")
            self._classify = (state["_fc.weight"], state["_fc.bias"])
        except KeyError as error:
            raise ModelError(f"{file} holds no EfficientNet-Lite0: {error} is missing.", code="model-damaged") from error

    def to(self, device: str) -> EfficientNetLite0:
        """Moves the weights; returns itself."""
        self._folded = {name: (weight.to(device), bias.to(device)) for name, (weight, bias) in self._folded.items()}
        self._classify = (self._classify[0].to(device), self._classify[1].to(device))
        return self

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        """(n, 1000) of pixels (n, 3, 224, 224)."""
        import torch.nn.functional as F  # noqa: N812 - torch's own name for it

        x = self._convolve("stem", x, 2).clamp(0, 6)
        for i, (_, stride, expansion) in enumerate(self._layout):
            before = x
            if expansion != 1:
                x = self._convolve(f"{i}.expand", x).clamp(0, 6)
            x = self._convolve(f"{i}.depthwise", x, stride, groups=x.shape[1]).clamp(0, 6)
            x = self._convolve(f"{i}.project", x)
            if stride == 1 and x.shape == before.shape:
                x = x + before
        pooled = self._convolve("head", x).clamp(0, 6).mean(dim=(2, 3))
        return F.linear(pooled, *self._classify)

    def _fold(self, state: dict[str, torch.Tensor], name: str, convolution: str, norm: str) -> None:
        """Convolution and batch norm as one convolution."""
        weight, bias, mean, variance = (state[f"{norm}.{part}"].double() for part in ("weight", "bias", "running_mean", "running_var"))
        scale = weight / (variance + _EPSILON).sqrt()
        kernel = state[f"{convolution}.weight"].double() * scale.reshape(-1, 1, 1, 1)
        self._folded[name] = (kernel.float(), (bias - mean * scale).float())

    def _convolve(self, name: str, x: torch.Tensor, stride: int = 1, groups: int = 1) -> torch.Tensor:
        import torch.nn.functional as F  # noqa: N812

        weight, bias = self._folded[name]
        kernel = weight.shape[-1]
        if kernel > 1:
            total = max((-(-x.shape[-1] // stride) - 1) * stride + kernel - x.shape[-1], 0)
            x = F.pad(x, (total // 2, total - total // 2, total // 2, total - total // 2))
        return F.conv2d(x, weight, bias, stride=stride, groups=groups)
