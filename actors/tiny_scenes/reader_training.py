"""The reader's training: to tell which classes a caption names, attribute by attribute. Minutes on one core."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from actors.tiny_scenes.codes import class_codes
from actors.tiny_scenes.reader import PromptReader
from engine.scenes.vocabulary import ATTRIBUTES, classes

BATCH = 128
RATE = 2e-3
UNNAMED = 0.03
"""Weight of an attribute that a caption does not name, which is drawn toward equal shares: a guess from the words is left to it."""

SMOOTHING = 0.02


def train_reader(states: Sequence[Tensor], named: Tensor, *, epochs: int, seed: int, tell: Callable[[str], None]) -> PromptReader:
    """A reader for captions' token states; `named` (n, attributes, most classes): shares of the classes that each names, zeros for none."""
    torch.manual_seed(seed)
    codes = class_codes()
    counts = [len(classes(attribute)) for attribute in ATTRIBUTES]
    reader: PromptReader = PromptReader(classes=counts, code=codes.shape[2], states=states[0].shape[1])
    reader.codes.data = codes
    exists = torch.arange(codes.shape[1]) < torch.tensor(counts)[:, None]
    level = exists / exists.sum(1, keepdim=True)
    optimizer = torch.optim.AdamW([each for each in reader.parameters() if each.requires_grad], lr=RATE, weight_decay=0.02)
    by_length = sorted(range(len(states)), key=lambda i: len(states[i]))
    # Neighbours in length share a batch, so little of it is filling.
    groups = [by_length[at : at + BATCH] for at in range(0, len(by_length) - BATCH + 1, BATCH)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=epochs * len(groups) + 1)
    for epoch in range(epochs):
        right = torch.zeros(2, len(counts))
        for place in torch.randperm(len(groups)).tolist():
            padded, mask = filled([states[i] for i in groups[place]])
            wanted = named[groups[place]]
            says = wanted.sum(2) > 0
            target = torch.where(says[..., None], (1 - SMOOTHING) * wanted + SMOOTHING * level, level)
            scores = reader.scores(padded + 0.05 * torch.randn_like(padded), mask)
            found = scores.log_softmax(2).masked_fill(~exists, 0.0)
            losses = -(target * found).sum(2) * torch.where(says, 1.0, UNNAMED)
            optimizer.zero_grad()
            losses.mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            hit = wanted.gather(2, scores.argmax(2, keepdim=True))[..., 0] > 0
            right += torch.stack([(hit & says).sum(0), says.sum(0)])
        tell(f"reader: epoch {epoch + 1} of {epochs}, right {(right[0] / right[1]).numpy().round(3)}")
    reader.eval().requires_grad_(False)
    return reader


def filled(states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """States of texts as one (n, most pieces, states) float32, and which pieces are a text's own."""
    padded = nn.utils.rnn.pad_sequence([each.float() for each in states], batch_first=True)
    lengths = torch.tensor([len(each) for each in states])
    return padded, torch.arange(padded.shape[1])[None] < lengths[:, None]
