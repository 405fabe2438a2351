"""Two summaries of d, worded independently: in the sheet's words, and in other words for the same facts (VPTT; METRICS, PA).

Each fact is told in one of three ways: both tell it and share no word for it (a subject that the lexicon paraphrases, an age); or only one
tells it (region and occupation the first, culture the second; a subject without a paraphrase the first or the second in turn). So no noun
that a method reads in `summary_given` is in `summary_ref`, where it would raise PA without having been understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.profiles.persona.english import with_article
from engine.profiles.persona.facets import Understanding, permitted
from engine.profiles.persona.words import lines, stems, words
from engine.records import Demographics
from engine.tokens import tokens

_MOST, _TOLD = 8, 3
"""Phrases of the second summary, in all and for one sentence."""
_OLDER = {
    "teens": "not yet twenty",
    "child": "very young",
    "young adult": "barely grown up",
    "older adult": "with most of life behind them",
}
_DECADE = {
    "20s": "twenty-something",
    "30s": "thirty-something",
    "40s": "forty-something",
    "50s": "fifty-something",
    "60s": "sixty-something",
}


def summaries_of(d: Demographics, understood: Understanding) -> tuple[str, str]:
    """(summary_given, summary_ref) of a person."""
    told, retold = _subjects(d, understood)
    given = _given(d, told)
    while True:
        reference = _reference(d, retold)
        if not shared_ngrams(given, reference, 4) or not retold:
            return given, reference
        retold = retold[:-1]


def shared_ngrams(first: str, second: str, n: int) -> set[tuple[str, ...]]:
    """The runs of n tokens that two texts have in common."""
    return ngrams(first, n) & ngrams(second, n)


def ngrams(text: str, n: int) -> set[tuple[str, ...]]:
    """The runs of n tokens in a text."""
    found = tokens(text)
    return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}


def content(text: str) -> frozenset[str]:
    """Stems of a text's content words."""
    return frozenset(word for word in stems(text) if word not in words("function") and len(word) > 2)


@lru_cache
def paraphrases() -> dict[str, tuple[str, ...]]:
    """Topic -> what the second summary may call it."""
    pairs = (line.split(":", 1) for line in lines("paraphrases.txt"))
    return {topic: tuple(part.strip() for part in said.split(";")) for topic, said in pairs}


def _subjects(d: Demographics, understood: Understanding) -> tuple[list[str], list[str]]:
    """What the first and the second summary say of the facets' subjects, without a content word in common."""
    told, retold = list(d.interests), list[str]()
    spare: list[str] = []
    for facet in understood.facets:
        said = [part for name in facet.topics for part in paraphrases().get(name, ())]
        said = [part for part in said if permitted(part, understood.rejected) and not content(part) & content(" ".join(told))]
        retold += said[:_TOLD]
        if not said:
            spare += [label for label in facet.labels if label in told]
    # Subjects that have one wording only go to either summary in turn; the first keeps at least one.
    for label in spare[1::2]:
        if len(told) > 1 and not content(label) & content(" ".join(other for other in told if other != label)):
            told.remove(label)
            retold.append(label)
    return told, list(dict.fromkeys(retold))[:_MOST]


def _given(d: Demographics, shown: Sequence[str]) -> str:
    who = with_article(d.occupation) if d.occupation else "Someone"
    parts = [who[0].upper() + who[1:]]
    if d.age_band:
        parts.append(_aged(d.age_band))
    if d.region:
        parts.append(f"linked to {d.region}")
    if d.culture and not shown:
        parts.append(f"{d.culture} by background or faith")
    opening = ", ".join(parts)
    return f"{opening}. Their world: {', '.join(shown)}." if shown else f"{opening}. Keeps interests private."


def _aged(band: str) -> str:
    return f"in their {band}" if band.endswith("s") and band != "teens" else {"teens": "still a teenager"}.get(band, f"age: {band}")


def _reference(d: Demographics, retold: Sequence[str]) -> str:
    told = "; ".join(reversed(retold)) or "tells others little about pastimes"
    parts = [f"{told[0].upper()}{told[1:]}."]
    if d.culture and d.interests:
        parts.append(f"Heritage or belief: {d.culture}.")
    if d.age_band:
        parts.append(f"{_aged_otherwise(d.age_band)}.")
    return " ".join(parts)


def _aged_otherwise(band: str) -> str:
    said = _DECADE.get(band) or _OLDER.get(band) or "well past retirement"
    return said[0].upper() + said[1:]
