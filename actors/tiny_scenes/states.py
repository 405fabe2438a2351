"""Token states of a text by the packaged MiniLM: what `tiny-scenes` is conditioned on. The text encoder's weights are not stored again."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from actors.bert import PackedBert
from actors.encoder import batches, decodable, load_tokenizer
from actors.models import TOKENIZER, resolve

TEXT_ENCODER = "minilm-l6-v2"
MAX_PIECES = 256
BATCH_TOKENS = 2048


class TokenStates:
    """Texts to their last hidden states. Raises ModelError if the model is missing or damaged."""

    def __init__(self) -> None:
        files = resolve(TEXT_ENCODER).of_kind("checkpoint")
        self.id = files.id
        self._tokenizer = load_tokenizer(files.folder / TOKENIZER)
        self._bert = PackedBert(files.folder, json.loads((files.folder / "config.json").read_text("utf-8")))
        self.dimensions = self._bert.dimensions

    def of(self, texts: Sequence[str]) -> list[Tensor]:
        """One (pieces, dimensions) float32 a text, its end marks included; a text's states do not depend on the others."""
        ids = [self._ids(text) for text in texts]
        found: dict[int, Tensor] = {}
        with torch.inference_mode():
            for batch in batches([len(row) for row in ids], BATCH_TOKENS):
                hidden = self._bert.forward([torch.from_numpy(np.stack([ids[i] for i in group])) for group in batch])
                for group, states in zip(batch, hidden, strict=True):
                    found |= {i: row.clone() for i, row in zip(group, states, strict=True)}
        return [found[i] for i in range(len(texts))]

    def _ids(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        ids = np.array(self._tokenizer.encode(decodable(text)).ids, np.int64)
        return ids if len(ids) <= MAX_PIECES else np.concatenate([ids[: MAX_PIECES - 1], ids[-1:]])
