"""The denoiser's training on unshuffled pixels, with an average of the weights, and checkpoints that a killed run goes on from.

It predicts the image, not the noise or v: what lies on few dimensions asks little of a narrow network, and the noise of 48 channels would
fill it. The loss is that of v nevertheless. Source: Li and He, Back to Basics: Let Denoising Generative Models Denoise.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from typing import Any

import torch
from diffusers import DDIMScheduler, UNet2DConditionModel
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from actors.tiny_scenes.drawn import Drawings

UNSHUFFLE = 4
"""Pixels of a side that become channels of one place: 32 px are a grid of 8."""

BATCH = 32
RATE = 1e-3
WARM_STEPS = 150
LEAST_NOISE = 0.1
"""Below this variance of the noise an image's error weighs no more."""

UNSURE = 0.25
"""How often an attribute is told as shares of several classes."""

CONCENTRATION = 0.25
"""Of the Dirichlet that such shares are drawn from: small, so that few classes have most of it."""

DROPPED = 0.1
"""Share of drawings of which nothing is told, for classifier-free guidance."""

SAVE_EVERY_S = 120
CHECKPOINT = "checkpoint.safetensors"
PROGRESS = "progress.json"


@dataclass(slots=True)
class Progress:
    """How far a training came: steps, and seconds of processor time."""

    step: int = 0
    seconds: float = 0.0


def new_denoiser(width: int, tokens: int, grid: int) -> UNet2DConditionModel:
    """3.6 million parameters: two resolutions, modulated by all tokens at once, with attention to each at the lower one."""
    return UNet2DConditionModel(
        sample_size=grid,
        in_channels=3 * UNSHUFFLE**2,
        out_channels=3 * UNSHUFFLE**2,
        block_out_channels=(88, 128),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "UpBlock2D"),
        mid_block_type="UNetMidBlock2DCrossAttn",
        cross_attention_dim=width,
        attention_head_dim=4,
        norm_num_groups=8,
        time_embedding_dim=224,
        class_embed_type="projection",
        projection_class_embeddings_input_dim=width * tokens,
        resnet_time_scale_shift="scale_shift",
    )


def new_scheduler() -> DDIMScheduler:
    """A cosine schedule."""
    return DDIMScheduler(
        beta_schedule="squaredcos_cap_v2",
        prediction_type="sample",
        timestep_spacing="trailing",
        clip_sample=True,
        set_alpha_to_one=True,
    )


class DenoiserTraining:
    """Trains on labelled drawings for a given time, in `out`; goes on from the last checkpoint there.

    Each attribute is told as shares of its classes, and the drawing is one that was drawn by those shares: so the denoiser learns what a
    reader that is not sure means. `codes` (attributes, most classes, width): the vector of each class.
    """

    def __init__(self, out: Path, drawings: Drawings, codes: Tensor, *, minutes: float, seed: int, tell: Callable[[str], None]) -> None:
        self._out, self._seed, self._budget_s, self._tell = out, seed, minutes * 60, tell
        self._drawings, self._codes = drawings, codes
        self._exists = codes.abs().sum(2) > 0
        torch.manual_seed(seed)
        grid = drawings.pixels.shape[1] // UNSHUFFLE
        self.denoiser = new_denoiser(codes.shape[2], codes.shape[0], grid).to(memory_format=torch.channels_last)
        self._scheduler = new_scheduler()
        self._optimizer = torch.optim.AdamW(self.denoiser.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
        self.averaged = {name: tensor.detach().clone() for name, tensor in self.denoiser.state_dict().items()}
        self.progress = Progress()
        self._restore()

    def run(self) -> None:
        """Steps until the time is used up, with a checkpoint every two minutes. What counts is the processor's time: a training that is
        stopped, or shares its cores, learns as much."""
        began, saved = time.process_time(), time.monotonic()
        before, losses = self.progress.seconds, list[float]()
        while self.progress.seconds < self._budget_s:
            losses.append(self._step())
            self.progress.seconds = before + time.process_time() - began
            if time.monotonic() - saved > SAVE_EVERY_S or self.progress.seconds >= self._budget_s:
                self._save()
                saved = time.monotonic()
                self._tell(f"denoiser: step {self.progress.step}, {self.progress.seconds:.0f} s, loss {sum(losses) / len(losses):.4f}")
                losses = []

    def _step(self) -> float:
        draw = torch.Generator().manual_seed(self._seed * 1_000_003 + self.progress.step)
        rows = torch.randint(len(self._drawings.pixels), (BATCH,), generator=draw)
        images = functional.pixel_unshuffle(self._drawings.pixels[rows].permute(0, 3, 1, 2).float() / 127.5 - 1, UNSHUFFLE)
        tokens = self._told(self._drawings.labels[rows], draw)
        # One time of each of BATCH equal stretches: less noise in the loss than free draws.
        times = ((torch.arange(BATCH) + torch.rand(BATCH, generator=draw)) * (1000 / BATCH)).long()
        noise = torch.randn(images.shape, generator=draw)
        noised = self._scheduler.add_noise(images, noise, times).contiguous(memory_format=torch.channels_last)
        found = self.denoiser(noised, times, tokens, class_labels=tokens.flatten(1)).sample
        # An error of the image is one of v divided by the noise's share.
        share = (1 - self._scheduler.alphas_cumprod[times]).clamp(min=LEAST_NOISE)
        loss = ((found - images).square().mean((1, 2, 3)) / share).mean()
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.denoiser.parameters(), 1.0)
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate()
        self._optimizer.step()
        self.progress.step += 1
        self._average()
        return float(loss.detach())

    def _told(self, labels: Tensor, draw: torch.Generator) -> Tensor:
        """Tokens (n, attributes, width) that tell `labels` (n, attributes): surely, or as one of several by their shares, or not at all."""
        n, attributes = labels.shape
        shares = torch.zeros(n, attributes, self._codes.shape[1]).scatter_(2, labels[..., None], 1.0)
        # Shares drawn from a Dirichlet and a class drawn by them, seen from the class: its own parameter is one higher (Bayes).
        gammas = torch._standard_gamma(CONCENTRATION * self._exists + shares, generator=draw)
        unsure = gammas / gammas.sum(2, keepdim=True)
        shares = torch.where(torch.rand(n, attributes, 1, generator=draw) < UNSURE, unsure, shares)
        told = torch.rand(n, 1, 1, generator=draw) >= DROPPED
        return torch.einsum("nac,acw->naw", shares, self._codes) * told

    def _rate(self) -> float:
        """Warmed up, then along half a cosine to a fiftieth over the second half of the time."""
        late = max(0.0, self.progress.seconds / self._budget_s - 0.5) * 2
        return RATE * min(1.0, (self.progress.step + 1) / WARM_STEPS) * (0.02 + 0.98 * (1 + cos(pi * min(late, 1.0))) / 2)

    def _average(self) -> None:
        keep = min(0.998, (1 + self.progress.step) / (20 + self.progress.step))
        with torch.no_grad():
            for name, tensor in self.denoiser.state_dict().items():
                self.averaged[name].lerp_(tensor, 1 - keep)

    def _save(self) -> None:
        held = {f"weights.{name}": tensor.contiguous() for name, tensor in self.denoiser.state_dict().items()}
        held |= {f"averaged.{name}": tensor.contiguous() for name, tensor in self.averaged.items()}
        for place, moments in self._optimizer.state_dict()["state"].items():
            held |= {f"moments.{place}.{name}": tensor.contiguous() for name, tensor in moments.items()}
        held["progress"] = torch.tensor([self.progress.step, self.progress.seconds], dtype=torch.float64)
        save_file(held, self._out / f"{CHECKPOINT}.new")
        os.replace(self._out / f"{CHECKPOINT}.new", self._out / CHECKPOINT)
        (self._out / PROGRESS).write_text(json.dumps({"step": self.progress.step, "seconds": self.progress.seconds}) + "\n")

    def _restore(self) -> None:
        if not (self._out / CHECKPOINT).exists():
            return
        held = load_file(self._out / CHECKPOINT)
        self.denoiser.load_state_dict(_under(held, "weights."))
        self.averaged = _under(held, "averaged.")
        moments: dict[int, dict[str, Any]] = {}
        for name, tensor in _under(held, "moments.").items():
            place, _, kind = name.partition(".")
            moments.setdefault(int(place), {})[kind] = tensor
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": moments})
        step, seconds = held["progress"].tolist()
        self.progress = Progress(int(step), seconds)


def averaged_denoiser(out: Path, codes: Tensor, grid: int) -> UNet2DConditionModel:
    """The averaged weights of the last checkpoint in `out`. Raises OSError if there is none."""
    denoiser = new_denoiser(codes.shape[2], codes.shape[0], grid)
    denoiser.load_state_dict(_under(load_file(out / CHECKPOINT), "averaged."))
    return denoiser.eval()


def _under(held: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in held.items() if name.startswith(prefix)}
