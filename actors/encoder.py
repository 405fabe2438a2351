"""Sentences to vectors, on the CPU in float32: the vector of a text is bit-equal whatever it is encoded with.

Any sentence-transformers folder with mean or first-token pooling serves. BERT checkpoints take the packed pass of `actors.bert`;
other architectures go through `transformers` under the same rules (groups of equal length, no padding).
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from actors.models import TOKENIZER, ModelFiles, resolve
from engine.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

BATCH_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Encoded:
    """What `SentenceEncoder.encode` found, in the order of its texts.

    `vectors` (n, d) float32, rows of length 1; `pieces` (n,) int32, word pieces before truncation, the model's own two marks included;
    `truncated` (n,) bool, more pieces than the model reads.
    """

    vectors: NDArray[np.float32]
    pieces: NDArray[np.int32]
    truncated: NDArray[np.bool_]


class Backbone(Protocol):
    """Groups of ids (n, length) int64 to their last hidden states (n, length, dimensions) float32."""

    dimensions: int

    def forward(self, groups: Sequence[Tensor]) -> list[Tensor]: ...


class SentenceEncoder:
    """Encodes texts with a sentence-transformers model: pooled, L2-normalised, cut at the model's length (MODELS; METRICS, PA).

    Args:
        model: a name that `actors.models.resolve` knows, a folder, or resolved files.
        threads: CPU threads of a forward pass; set for the whole process, whatever OMP_NUM_THREADS says.
        cache: how many texts' vectors to keep, least recently used first out; 0 keeps none.
        batch_tokens: word pieces in one forward pass; bounds memory (about 20 kB each) and changes no bit of the result.

    Raises:
        ModelError: the model is missing, damaged, or pools in a way that is not supported.
    """

    def __init__(self, model: str | ModelFiles, *, threads: int = 1, cache: int = 65536, batch_tokens: int = BATCH_TOKENS) -> None:
        if threads < 1 or cache < 0 or batch_tokens < 1:
            raise ValueError(f"threads {threads} and batch_tokens {batch_tokens} must be at least 1, cache {cache} at least 0")
        self.files = (resolve(model) if isinstance(model, str) else model).of_kind("checkpoint")
        settings = _Settings.read(self.files.folder)
        self.max_pieces = settings.max_pieces
        self._lowercase, self._first = settings.lowercase, settings.pooling == "cls"
        self._tokenizer = load_tokenizer(self.files.folder / TOKENIZER)
        self._threads, self._batch_tokens = threads, batch_tokens
        self._backbone: Backbone | None = _backbone(self.files.folder, settings.config, threads)
        self.dimensions = self._backbone.dimensions
        self._cache: OrderedDict[str, tuple[NDArray[np.float32], int]] = OrderedDict()
        self._capacity = cache
        self.calls = self.texts = self.computed = 0
        self.seconds = 0.0

    @property
    def id(self) -> str:
        """The model's name and weights, such as `minilm-l6-v2@53aa5117`."""
        return self.files.id

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of any texts (empty, any script, any length); equal texts are computed once."""
        began = time.perf_counter()
        known = {text: self._cache[text] for text in dict.fromkeys(texts) if text in self._cache}
        known |= self._compute([text for text in dict.fromkeys(texts) if text not in known])
        self._remember(known)
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        pieces = np.empty(len(texts), np.int32)
        for row, text in enumerate(texts):
            vectors[row], pieces[row] = known[text]
        self.calls += 1
        self.texts += len(texts)
        self.seconds += time.perf_counter() - began
        return Encoded(vectors, pieces, pieces > self.max_pieces)

    def close(self) -> None:
        """Let go of the weights and the cache; `encode` raises afterwards."""
        self._backbone = None
        self._cache.clear()

    def _compute(self, texts: list[str]) -> dict[str, tuple[NDArray[np.float32], int]]:
        import torch

        if self._backbone is None:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        ids, pieces = self._tokenize(texts)
        found: dict[str, tuple[NDArray[np.float32], int]] = {}
        with torch.inference_mode():
            for batch in batches([len(row) for row in ids], self._batch_tokens):
                hidden = self._backbone.forward([torch.from_numpy(np.stack([ids[i] for i in group])) for group in batch])
                for group, states in zip(batch, hidden, strict=True):
                    pooled = states[:, 0] if self._first else states.mean(1)
                    for i, vector in zip(group, unit(pooled.numpy().astype(np.float64)), strict=True):
                        found[texts[i]] = (vector.copy(), pieces[i])  # a view would keep the whole group alive in the cache
        self.computed += len(texts)
        return found

    def _tokenize(self, texts: list[str]) -> tuple[list[NDArray[np.int64]], list[int]]:
        """The ids of each text, cut to the model's length with its end mark put back, and its pieces before the cut."""
        rows, pieces = [], []
        for text in texts:
            whole = decodable(text)
            encoding = self._tokenizer.encode(whole.lower() if self._lowercase else whole)
            ids = np.array(encoding.ids, np.int64)
            pieces.append(len(ids))
            if len(ids) > self.max_pieces:
                marks = encoding.special_tokens_mask
                tail = next(i for i, mark in enumerate(reversed(marks)) if not mark)
                ids = np.concatenate([ids[: self.max_pieces - tail], ids[len(ids) - tail :]])
            rows.append(ids)
        return rows, pieces

    def _remember(self, known: dict[str, tuple[NDArray[np.float32], int]]) -> None:
        if not self._capacity:
            return
        for text, entry in known.items():
            self._cache[text] = entry
            self._cache.move_to_end(text)
        while len(self._cache) > self._capacity:
            self._cache.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Settings:
    """What the JSON files of a sentence-transformers folder say."""

    config: dict[str, Any]
    max_pieces: int
    lowercase: bool
    pooling: str

    @classmethod
    def read(cls, folder: Path) -> _Settings:
        config = _json(folder / "config.json")
        sentence = _json(folder / "sentence_bert_config.json", required=False)
        ends = [
            sentence.get("max_seq_length"),
            _json(folder / "tokenizer_config.json", required=False).get("model_max_length"),
            config.get("max_position_embeddings", 512),
        ]
        limit = min(int(end) for end in ends if end)
        return cls(config, limit, bool(sentence.get("do_lower_case", False)), _pooling(folder))


def _pooling(folder: Path) -> str:
    """`mean` or `cls`, from the folder's pooling module; mean where it has none."""
    said = _json(folder / "1_Pooling" / "config.json", required=False)
    modes = [name for name, on in said.items() if name.startswith("pooling_mode_") and on is True] or [
        str(said.get("pooling_mode", "mean"))
    ]
    known = {"pooling_mode_mean_tokens": "mean", "mean": "mean", "pooling_mode_cls_token": "cls", "cls": "cls"}
    if len(modes) != 1 or modes[0] not in known or (folder / "2_Dense").is_dir():
        raise ModelError(
            f"{folder} turns word pieces into a vector in a way that is not computed here ({', '.join(modes)}, or a dense layer).",
            remedy="Use a model with plain mean or first-token pooling.",
            code="model-unsupported",
        )
    return known[modes[0]]


def _json(file: Path, *, required: bool = True) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        if not required:
            return {}
        raise ModelError(f"{file} is missing.", remedy="Give the folder of a sentence-transformers model.", code="model-missing") from error
    except ValueError as error:
        raise ModelError(f"{file} is no JSON: {error}.", remedy="Fetch the model again.", code="model-damaged") from error
    if not isinstance(value, dict):
        raise ModelError(f"{file} holds no JSON object.", remedy="Fetch the model again.", code="model-damaged")
    return value


def decodable(text: str) -> str:
    """The text with each half of a surrogate pair, which is no text in any encoding, as U+FFFD: as a decoder would have read it."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def load_tokenizer(file: Path) -> Tokenizer:
    """A tokenizer that neither cuts nor pads. Raises ModelError if the file is missing, damaged, or marks no start or end."""
    from tokenizers import Tokenizer

    _json(file)  # says what is wrong; the library raises a bare Exception
    tokenizer = Tokenizer.from_file(str(file))
    # Files come with lengths that were right for training (MiniLM's pads and cuts at 128); pieces are counted before any cut.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if not tokenizer.num_special_tokens_to_add(False):
        raise ModelError(f"{file} marks no start or end, so an empty text has no vector.", code="model-unsupported")
    return tokenizer


def _backbone(folder: Path, config: dict[str, Any], threads: int) -> Backbone:
    import torch

    from actors import bert

    torch.set_num_threads(threads)
    if bert.supports(config):
        return bert.PackedBert(folder, config)
    from actors.automodel import AutoModelBackbone

    return AutoModelBackbone(folder)


def batches(lengths: Sequence[int], most: int) -> Iterator[list[list[int]]]:
    """Indices by ascending length, in batches of at most `most` pieces (or one text), each a list of groups of equal length."""
    batch: list[list[int]] = []
    size = 0
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and size + lengths[i] > most:
            yield batch
            batch, size = [], 0
        if batch and lengths[batch[-1][0]] == lengths[i]:
            batch[-1].append(i)
        else:
            batch.append([i])
        size += lengths[i]
    if batch:
        yield batch


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows divided by their length, which is summed one row at a time."""
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)
