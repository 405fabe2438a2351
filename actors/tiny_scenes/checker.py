"""Which classes an image shows, by a small network trained on drawings alone: what says whether `tiny-scenes` follows its prompts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from actors.tiny_scenes.drawn import Drawings, drawings
from engine.images.picture import Pixels
from engine.scenes.vocabulary import ATTRIBUTES, classes

CHECKER = "checker.safetensors"
BATCH = 64


class Checker(nn.Module):
    """Images of 32 px to class scores, a tensor an attribute."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in ((3, 24), (24, 48), (48, 64)):
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.GroupNorm(8, after), nn.GELU()]
        self.body = nn.Sequential(*layers, nn.Flatten())
        self.heads = nn.ModuleList(nn.Linear(64 * 16, len(classes(attribute))) for attribute in ATTRIBUTES)

    def forward(self, images: Tensor) -> list[Tensor]:
        """(n, 3, 32, 32) from -1 to 1."""
        seen = self.body(images)
        return [head(seen) for head in self.heads]

    def classify(self, pixels: Pixels) -> NDArray[np.int64]:
        """(n, height, width, 3) uint8 to class numbers (n, attributes)."""
        with torch.inference_mode():
            return torch.stack([scores.argmax(1) for scores in self(_scaled(torch.from_numpy(pixels)))], 1).numpy()


def load_checker(folder: Path) -> Checker:
    """The trained network of a weights folder."""
    checker = Checker()
    checker.load_state_dict({name: tensor.float() for name, tensor in load_file(folder / CHECKER).items()})
    return checker.eval()


def save_checker(checker: Checker, folder: Path) -> None:
    """In half precision."""
    save_file({name: tensor.half().contiguous() for name, tensor in checker.state_dict().items()}, folder / CHECKER)


def train_checker(*, seed: int, tell: Callable[[str], None], count: int = 6_000, epochs: int = 12) -> Checker:
    """A checker from drawings of training combinations, blurred and noised so that it looks at what is drawn and not how cleanly."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    trained = drawings(count, rng, held_out=False)
    checker = Checker()
    optimizer = torch.optim.AdamW(checker.parameters(), lr=2e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=epochs * (count // BATCH) + 1)
    for epoch in range(epochs):
        for batch in torch.randperm(count)[: count // BATCH * BATCH].view(-1, BATCH):
            scores = checker(_worn(_scaled(trained.pixels[batch])))
            loss = torch.stack(
                [functional.cross_entropy(each, trained.labels[batch, i], label_smoothing=0.05) for i, each in enumerate(scores)]
            ).sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
        tell(f"checker: epoch {epoch + 1} of {epochs}, loss {loss.item():.3f}")
    return checker.eval()


def shares_right(checker: Checker, drawn: Drawings) -> dict[str, float]:
    """The share of drawings that the checker is right about, by attribute."""
    right = (checker.classify(drawn.pixels.numpy()) == drawn.labels.numpy()).mean(0)
    return dict(zip(ATTRIBUTES, map(float, right), strict=True))


def _scaled(pixels: Tensor) -> Tensor:
    return pixels.permute(0, 3, 1, 2).float() / 127.5 - 1


def _worn(images: Tensor) -> Tensor:
    """Some images blurred, all a little noised and shifted in brightness."""
    blurred = functional.avg_pool2d(functional.pad(images, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = torch.rand(len(images), 1, 1, 1) * (torch.rand(len(images), 1, 1, 1) < 0.5)
    worn = images + share * (blurred - images)
    return worn + torch.randn_like(worn) * torch.rand(len(images), 1, 1, 1) * 0.12 + torch.randn(len(images), 3, 1, 1) * 0.03
