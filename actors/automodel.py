"""Encoders that are not BERT, through `transformers`: slower to start, the same rules (equal lengths together, no padding)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from actors.bert import ROWS
from engine.errors import ModelError


class AutoModelBackbone:
    """Any encoder that `transformers.AutoModel` loads from a folder, in float32.

    Raises:
        ModelError: transformers is missing or does not know the architecture.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from transformers import AutoModel
        except ImportError as error:
            raise ModelError(
                f"{folder} is no BERT checkpoint, and transformers is not installed.",
                remedy="Run `pip install mien[laptop]`.",
                code="model-unsupported",
            ) from error
        try:
            self._model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32).eval()
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{folder} cannot be loaded: {error}", remedy="Give an encoder that AutoModel knows.", code="model-unsupported"
            ) from error
        self.dimensions = int(self._model.config.hidden_size)

    def forward(self, groups: Sequence[Tensor]) -> list[Tensor]:
        """Last hidden states of groups of equally long texts: ids (n, length) int64 in, (n, length, dimensions) float32 out."""
        return [self._group(ids) for ids in groups]

    def _group(self, ids: Tensor) -> Tensor:
        # Products of few rows take other kernels, which would round a lone short text differently.
        fewest = -(-ROWS // ids.shape[1])
        filled = torch.cat([ids, ids[:1].expand(max(0, fewest - len(ids)), -1)])
        hidden: Tensor = self._model(input_ids=filled, attention_mask=torch.ones_like(filled)).last_hidden_state
        return hidden[: len(ids)]
