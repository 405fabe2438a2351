"""Two summaries of d in different words and field order, with no four tokens in a row in common (VPTT; METRICS, PA)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.profiles.persona.english import with_article
from engine.records import Demographics
from engine.tokens import tokens


def summaries_of(d: Demographics) -> tuple[str, str]:
    """(summary_given, summary_ref) of d."""
    shown = d.interests
    given = _given(d, shown)
    for count in range(len(shown), -1, -1):
        reference = _reference(d, shown[:count])
        if not shared_ngrams(given, reference, 4):
            return given, reference
    return given, "Little beyond this is known."


def shared_ngrams(first: str, second: str, n: int) -> set[tuple[str, ...]]:
    """The runs of n tokens that two texts have in common."""
    return ngrams(first, n) & ngrams(second, n)


def ngrams(text: str, n: int) -> set[tuple[str, ...]]:
    """The runs of n tokens in a text."""
    found = tokens(text)
    return {tuple(found[i : i + n]) for i in range(len(found) - n + 1)}


def _given(d: Demographics, shown: Sequence[str]) -> str:
    who = with_article(d.occupation) if d.occupation else "Someone"
    parts = [who[0].upper() + who[1:]]
    if d.age_band:
        parts.append(_aged(d.age_band))
    if d.culture:
        parts.append(f"{d.culture} by background or faith")
    if d.region:
        parts.append(f"linked to {d.region}")
    opening = ", ".join(parts)
    return f"{opening}. Their world: {', '.join(shown)}." if shown else f"{opening}. Keeps interests private."


def _aged(band: str) -> str:
    return f"in their {band}" if band.endswith("s") and band != "teens" else {"teens": "still a teenager"}.get(band, f"age: {band}")


def _reference(d: Demographics, shown: Sequence[str]) -> str:
    joined = "; then ".join(reversed(shown))
    parts = [f"Posts revolve around {joined}." if shown else "Tells others little about pastimes."]
    if d.region:
        parts.append(f"{d.region} is a place they name as part of their story.")
    if d.culture:
        parts.append(f"Heritage or belief: {d.culture}.")
    if d.age_band:
        parts.append(f"Age band {d.age_band}.")
    if d.occupation:
        parts.append(f"Occupation: {' '.join(d.occupation.split()[-3:])}.")
    return " ".join(parts)
