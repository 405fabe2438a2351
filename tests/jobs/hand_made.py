"""Five people and eight queries written by formula, and an encoder that replays recorded replies: fixed for ever, on every machine."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import numpy as np

from engine.records import CATEGORIES, Caption, Demographics, Element, Profile, Query

NOUNS = ["kite", "teapot", "harbour", "lantern", "market", "orchard", "bicycle", "violin", "bakery", "lighthouse", "quilt", "ferry"]
TONES = ["brass", "woven", "misty", "copper", "painted", "quiet", "salted", "amber", "folded", "stormy", "paper", "mossy"]
ACTS = ["mending", "carrying", "watching", "sketching", "washing", "repairing"]


def profile(number: int, captions: int = 12) -> Profile:
    """Person `number`: each caption uses four elements of its own."""

    def element(category: str, i: int) -> Element:
        return Element(category, f"{TONES[(i + number) % 12]} {NOUNS[(i * 5 + number * 7) % 12]}")

    made = []
    for i in range(captions):
        used = tuple(element(CATEGORIES[(i + k) % 8], i * 3 + k) for k in range(4))
        act = ACTS[(i + number) % 6].capitalize()
        text = f"{act} the {used[0].text}, {used[1].text} by the {used[2].text}; {used[3].text} at {i + 1} o'clock."
        made.append(Caption(text, f"scene {i}", used))
    return Profile(
        id=f"hand-{number}",
        demographics=Demographics("30s", "coast", "island", "ferry pilot", ("kites", "tea")),
        summary_given=f"A pilot who keeps {NOUNS[number]} things, {TONES[number]} rooms and long walks",
        summary_ref=f"Long walks and {TONES[number]} light belong to this {NOUNS[number]} keeper",
        elements=tuple(dict.fromkeys(element for caption in made for element in caption.elements)),
        captions=tuple(made),
        cluster=f"hand-{number}",
        source="hand",
    )


PEOPLE = [profile(number) for number in range(5)]
QUERIES = tuple(
    Query(f"{task}-{i}", task, f"family-{i}", ("broad", "narrow")[i], f"a {TONES[i]} morning at the {NOUNS[i + 3 * t]}")
    for t, task in enumerate(("one-generation", "two-generation", "one-editing", "two-editing"))
    for i in range(2)
)


class RecordedEncoder:
    """Replays a reply for every text: 16 numbers from its sha256, so equal texts have equal vectors and nothing depends on a CPU."""

    def __init__(self, space: str = "") -> None:
        self.space = space
        """Another space has other vectors."""

    def encode(self, texts: list[str]) -> SimpleNamespace:
        digests = np.array([np.frombuffer(hashlib.sha256((self.space + text).encode()).digest(), dtype="<u2") for text in texts])
        rows = digests.astype(np.float64) / 65535 - 0.3
        vectors = (rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))).astype(np.float32)
        return SimpleNamespace(vectors=vectors, truncated=np.zeros(len(texts), dtype=bool))
