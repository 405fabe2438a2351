"""The whole training of `tiny-scenes` in one folder: drawings, reader, checker, denoiser, each kept as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from actors.tiny_scenes.checker import CHECKER, save_checker, train_checker
from actors.tiny_scenes.codes import class_codes
from actors.tiny_scenes.denoising_training import DenoiserTraining
from actors.tiny_scenes.drawn import Drawings, drawings
from actors.tiny_scenes.examples import caption_examples, phrases_beside
from actors.tiny_scenes.exporting import READER
from actors.tiny_scenes.reader_training import train_reader
from actors.tiny_scenes.states import TokenStates

DRAWINGS = 12_000
CAPTIONS = 8_000
PEOPLE = 150
EPOCHS = 25

_DRAWN = "drawings.safetensors"
_ENCODED_AT_ONCE = 500


def learn(out: Path, *, minutes: float, seed: int, tell: Callable[[str], None]) -> None:
    """Trains the denoiser for `minutes` in all, and before that whatever `out` lacks: ten minutes of one core. Goes on where it stopped."""
    out.mkdir(parents=True, exist_ok=True)
    if not (out / READER).exists():
        _learn_reading(out, seed, tell)
    if not (out / CHECKER).exists():
        save_checker(train_checker(seed=seed, tell=tell), out)
    if not (out / _DRAWN).exists():
        tell(f"drawings: {DRAWINGS}")
        drawn = drawings(DRAWINGS, np.random.default_rng([seed, 1]), held_out=False)
        save_file({"pixels": drawn.pixels, "labels": drawn.labels}, out / _DRAWN)
    held = Drawings(**load_file(out / _DRAWN))
    DenoiserTraining(out, held, class_codes(), minutes=minutes, seed=seed, tell=tell).run()


def _learn_reading(out: Path, seed: int, tell: Callable[[str], None]) -> None:
    examples = caption_examples(CAPTIONS, np.random.default_rng([seed, 2]), phrases_beside(PEOPLE))
    encoder = TokenStates()
    states: list[Tensor] = []
    for at in range(0, CAPTIONS, _ENCODED_AT_ONCE):
        states += [each.half() for each in encoder.of(examples.texts[at : at + _ENCODED_AT_ONCE])]
        tell(f"captions: {len(states)} of {CAPTIONS} encoded")
    train_reader(states, torch.from_numpy(examples.named), epochs=EPOCHS, seed=seed, tell=tell).save_pretrained(out / READER)
