"""Sentences to vectors without a network: the mean of trained token embeddings, a space that no method retrieves or writes with.

Word order does not matter here: "dog bites man" and "man bites dog" of equal pieces have one vector. That is what makes it another
space than a sentence encoder's, and what a score in it cannot see (METRICS, "A second space").
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.encoder import Encoded, decodable, load_tokenizer, unit
from actors.models import ModelFiles, resolve
from engine.errors import ModelError

MAX_PIECES = 1 << 24
"""So many vectors below 16 in half precision (multiples of 2**-24) a float64 adds without rounding; no text comes near, none is cut."""
ROWS_AT_ONCE = 4096


class StaticEncoder:
    """Encodes texts as the mean of their word pieces' vectors, L2-normalised; no limit of length, no start mark.

    The vectors, stored in half precision, are added exactly in float64, so the vector of a text is bit-equal in any batch and any
    order of its pieces. An empty text has no piece to average and reads as the tokenizer's start mark (*ours*).

    Args:
        model: the name of a static model that `actors.models.resolve` knows, or its resolved files.

    Raises:
        ModelError: the model is missing, damaged, or no static model.
    """

    def __init__(self, model: str | ModelFiles) -> None:
        self.files = (resolve(model) if isinstance(model, str) else model).of_kind("static")
        self._tokenizer = load_tokenizer(self.files.folder / self.files.tokenizer)
        self._empty: list[int] = self._tokenizer.encode("").ids
        self._table: NDArray[np.float32] | None = _table(self.files.folder / self.files.weights, self._tokenizer.get_vocab_size())
        self.dimensions = int(self._table.shape[1])
        self.max_pieces = MAX_PIECES
        self.calls = self.texts = self.computed = 0
        self.seconds = 0.0

    @property
    def id(self) -> str:
        """The model's name, weights and revision, such as `wordllama-l2-256@64b47a2d.1b2c3d4e`."""
        return self.files.id

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of any texts (empty, any script, any length); equal texts are computed once. Raises ModelError after `close`."""
        if self._table is None:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        began = time.perf_counter()
        distinct = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        means = np.empty((len(distinct), self.dimensions))
        counts = np.empty(len(distinct), np.int32)
        for text, row in distinct.items():
            ids = self._tokenizer.encode(decodable(text), add_special_tokens=False).ids or self._empty
            means[row] = _sum(self._table, ids) / len(ids)
            counts[row] = len(ids)
        rows = np.array([distinct[text] for text in texts], np.intp)
        pieces = counts[rows]
        self.calls += 1
        self.texts += len(texts)
        self.computed += len(distinct)
        self.seconds += time.perf_counter() - began
        return Encoded(unit(means)[rows], pieces, pieces > MAX_PIECES)

    def close(self) -> None:
        """Let go of the weights; `encode` raises afterwards."""
        self._table = None


def _sum(table: NDArray[np.float32], ids: list[int]) -> NDArray[np.float64]:
    """The sum of rows; a text of a megabyte is added in parts that fit the memory."""
    total = np.zeros(table.shape[1])
    for start in range(0, len(ids), ROWS_AT_ONCE):
        total += table[ids[start : start + ROWS_AT_ONCE]].sum(axis=0, dtype=np.float64)
    return total


def _table(file: Path, vocabulary: int) -> NDArray[np.float32]:
    """The one matrix (pieces, dimensions) in a safetensors file, stored in half precision."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(file)
    except FileNotFoundError as error:
        raise ModelError(f"{file} is missing.", remedy="Install the model again.", code="model-missing") from error
    except SafetensorError as error:
        raise ModelError(f"{file} holds no tensors: {error}.", remedy="Install the model again.", code="model-damaged") from error
    table: NDArray[np.float16] = next(iter(tensors.values())) if len(tensors) == 1 else np.empty(0, np.float16)
    if table.ndim != 2 or table.dtype != np.float16 or len(table) != vocabulary or not np.isfinite(table).all():
        raise ModelError(
            f"{file} holds no finite half-precision vector for each of the tokenizer's {vocabulary} pieces.", code="model-unsupported"
        )
    return table.astype(np.float32)
