"""Where and how exactly a network computes: device, precision, threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Precision: TypeAlias = Literal["float32", "float16", "bfloat16"]
"""float32 is the reference; the others give other figures, so they stand in ids."""

Network = TypeVar("Network", bound="torch.nn.Module")


@dataclass(frozen=True, slots=True)
class Placement:
    """`device` as torch names it; `threads` of a forward pass on the CPU, set for the whole process."""

    device: str = "cpu"
    precision: Precision = "float32"
    threads: int = 1

    @property
    def dtype(self) -> torch.dtype:
        import torch

        return {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}[self.precision]

    def place(self, network: Network) -> Network:
        """The network there, for inference."""
        import torch

        torch.set_num_threads(self.threads)
        return network.to(self.device, self.dtype).eval().requires_grad_(False)

    def tensor(self, array: NDArray[np.float32]) -> torch.Tensor:
        """The array there."""
        import torch

        return torch.from_numpy(array).to(self.device, self.dtype)
