"""NV, novelty: the share of a prompt's n-grams that no single caption of the person holds; `nv-union`: that no caption holds at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.tokens import tokens

Gram = tuple[str, ...]


class Novelty(NamedTuple):
    """Both in [0, 1]; nv_union <= nv."""

    nv: float
    nv_union: float


def ngrams(words: Sequence[str], n: int) -> set[Gram]:
    """The set of runs of n tokens; empty if there are fewer."""
    return set(_runs(words, n))


def _runs(words: Sequence[str], n: int) -> Iterator[Gram]:
    return zip(*[words[start:] for start in range(n)], strict=False)


class CaptionGrams:
    """A person's captions as n-grams, tokenised once: for each n-gram, the captions that hold it.

    Args:
        captions: the texts, whatever their embeddings are.
        ngram: the longest n-gram; a shorter prompt is compared by n-grams of its own length (METRICS, NV).
    """

    def __init__(self, captions: Sequence[str], ngram: int = 3) -> None:
        self.words = [tokens(caption) for caption in captions]
        self.ngram = ngram
        self._holders: dict[int, dict[Gram, int]] = {}

    def novelty(self, prompt: Sequence[str]) -> Novelty:
        """NV and nv-union of a prompt's tokens; both 1 without captions. Raises ValueError for a prompt without tokens."""
        return self._novelty(prompt, ~0)

    def leave_one_out(self, index: int) -> Novelty:
        """NV and nv-union of caption `index` against all others."""
        return self._novelty(self.words[index], ~(1 << index))

    def _novelty(self, prompt: Sequence[str], captions: int) -> Novelty:
        """Against the captions whose bit is set in `captions`."""
        if not prompt:
            raise ValueError("A prompt without tokens has no novelty.")
        n = min(self.ngram, len(prompt))
        grams = ngrams(prompt, n)
        held = [holders & captions for holders in map(self._holders_of(n).get, grams) if holders is not None and holders & captions]
        shared: dict[int, int] = {}
        for holders in held:
            while holders:
                caption = holders & -holders
                shared[caption] = shared.get(caption, 0) + 1
                holders ^= caption
        return Novelty(1 - max(shared.values(), default=0) / len(grams), 1 - len(held) / len(grams))

    def _holders_of(self, n: int) -> dict[Gram, int]:
        """n-gram -> the captions that hold it, as bits: one integer costs less than a list, and most n-grams have one holder."""
        holders = self._holders.get(n)
        if holders is None:
            holders = self._holders[n] = {}
            for index, words in enumerate(self.words):
                bit = 1 << index
                for gram in _runs(words, n):
                    holders[gram] = holders.get(gram, 0) | bit
        return holders


def novelty(prompt: str, captions: Sequence[str], ngram: int = 3) -> Novelty:
    """NV and nv-union of one prompt against captions (METRICS, NV). Raises ValueError for a prompt without tokens."""
    return CaptionGrams(captions, ngram).novelty(tokens(prompt))
