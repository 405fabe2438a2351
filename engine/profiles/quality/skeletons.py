"""Sentence skeletons: what is left of a caption when its content words are taken out. Few of them mean templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from engine.profiles.quality.bands import Figure
from engine.profiles.quality.function_words import FUNCTION_WORDS

SLOT = "_"
_PARTS = regex.compile(r"[\p{L}\p{N}\p{M}]+(?:['’\-][\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}\p{M}]")
_SENTENCE = regex.compile(r"(?<=[.!?…])\s+")
_LEAST_WORDS = 3
"""Function words from which a sentence has a form of its own: "a _ of _" is shared by all English, and by 2 % of real prompts."""


def skeleton(text: str) -> str:
    """`text` in lower case with each run of content words as one slot; function words and punctuation stay, "an" is "a".

    A run is one slot however long it is: filling a template with longer phrases makes no new skeleton.
    """
    return " ".join(_skeleton(text))


def _skeleton(text: str) -> Iterator[str]:
    before = ""
    for part in _PARTS.findall(text.casefold().replace("’", "'")):
        if not part[0].isalnum():
            piece = part
        elif part in FUNCTION_WORDS:
            piece = "a" if part == "an" else part
        else:
            piece = SLOT
        if not piece == before == SLOT:
            yield piece
        before = piece


def sentence_skeletons(caption: str) -> tuple[str, ...]:
    """The skeletons of a caption's sentences, those with fewer than three function words left out."""
    found = (tuple(_skeleton(sentence)) for sentence in _SENTENCE.split(caption))
    return tuple(" ".join(parts) for parts in found if sum(part[0].isalpha() for part in parts) >= _LEAST_WORDS)


def skeleton_figures(captions: Sequence[str]) -> dict[str, Figure]:
    """How many skeletons there are, and the share of captions with the commonest, of whole captions and of their sentences."""
    whole = Counter(map(skeleton, captions))
    sentences = Counter(one for caption in captions for one in set(sentence_skeletons(caption)))
    return {
        "skeletons": Figure(len(whole), _examples(whole, len(captions))),
        "commonest_skeleton": _commonest(whole, len(captions)),
        "sentence_skeletons": Figure(len(sentences), _examples(sentences, len(captions))),
        "commonest_sentence": _commonest(sentences, len(captions)),
    }


def _commonest(counts: Counter[str], captions: int) -> Figure:
    most = max(counts.values(), default=0)
    return Figure(most / max(captions, 1), _examples(counts, captions))


def _examples(counts: Counter[str], captions: int) -> tuple[str, ...]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{count / max(captions, 1):.2%} {text}" for text, count in ranked[:3])
