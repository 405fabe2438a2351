"""`tiny-trigrams`: a stand-in beside `actors.encoder.SentenceEncoder` without weights, to rehearse a cluster, test and measure.

It starts at once and needs numpy only. Texts that share words and parts of words are close; meaning it knows none, so no score of it
says anything about a method.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from actors.encoder import Encoded
from actors.models import TINY
from engine.errors import ModelError
from engine.keys import Json, content_key

VERSION = 1
"""Raised whenever a vector changes; a test holds a golden digest."""
DIMENSIONS = 128
MAX_WORDS = 256
RULE: dict[str, Json] = {
    "text": "NFKC, casefold, NFKC; punctuation, separators and control characters end a word",
    "unicode": unicodedata.unidata_version,
    "words": MAX_WORDS,
    "features": "each word and each trigram of the word between two spaces, every time it occurs; signed, blake2b-64",
    "dimensions": DIMENSIONS,
    "constant": "dimension 0 is 1",
    "vector": "counts / sqrt(sum of squares) in float64, then float32",
}


class TinyEncoder:
    """Hashed words and character trigrams, signed and counted: (n, 128) float32 rows of length 1.

    Integers, one correctly rounded root and one division make the vector of a text, so it is bit-equal on every machine of one id
    and in any batch. An empty text, as one of punctuation only, is the first unit vector. One piece is one word.
    """

    id = f"{TINY}@{content_key(RULE)[:8]}.{VERSION}"
    """The name, a digest of the rule and its version: part of fingerprints and tables, never mistaken for a model's."""
    dimensions = DIMENSIONS
    max_pieces = MAX_WORDS

    def __init__(self) -> None:
        self._open = True
        self.calls = self.texts = self.computed = 0
        self.seconds = 0.0

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of any texts (empty, any script, any length); equal texts are computed once. Raises ModelError after `close`."""
        if not self._open:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        began = time.perf_counter()
        distinct = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        words = [words_of(text) for text in distinct]
        counts = np.zeros((len(words), DIMENSIONS), np.int64)
        counts[:, 0] = 1
        for row, each in enumerate(words):
            for word in each[:MAX_WORDS]:
                counts[row] += _counts(word)
        rows = np.array([distinct[text] for text in texts], np.intp)
        pieces = np.array([len(each) for each in words], np.int32)[rows]
        self.calls += 1
        self.texts += len(texts)
        self.computed += len(distinct)
        self.seconds += time.perf_counter() - began
        return Encoded(_unit(counts)[rows], pieces, pieces > MAX_WORDS)

    def close(self) -> None:
        """`encode` raises afterwards."""
        self._open = False


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case: what stands between punctuation, separators and control characters."""
    # Half of a surrogate pair is no text in any encoding; it reads as U+FFFD, as `SentenceEncoder` has it.
    whole = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", whole).casefold())
    return "".join(map(_kept, folded)).split()


@lru_cache(maxsize=1 << 14)
def _kept(character: str) -> str:
    return " " if unicodedata.category(character)[0] in "PZC" else character


@lru_cache(maxsize=1 << 14)
def _counts(word: str) -> NDArray[np.int64]:
    """What one occurrence of a word adds to a vector (128,), integers; dimension 0 is not used."""
    padded = f" {word} "
    found = np.zeros(DIMENSIONS, np.int64)
    for feature in (f"word:{word}", *(padded[i : i + 3] for i in range(len(word)))):
        value = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big")
        found[1 + (value >> 1) % (DIMENSIONS - 1)] += 1 if value & 1 else -1
    found.flags.writeable = False
    return found


def _unit(counts: NDArray[np.int64]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.square(counts).sum(axis=1, keepdims=True).astype(np.float64))
    return np.asarray(counts / lengths, np.float32)
