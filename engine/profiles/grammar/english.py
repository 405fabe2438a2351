"""The little English that the grammar needs: articles, number and capitals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.profiles.articles import indefinite


class Number(Enum):
    """How a noun phrase counts: one thing, several, or a mass."""

    ONE = "one"
    MANY = "many"
    MASS = "mass"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase without its article, and its number."""

    text: str
    number: Number = Number.ONE


def noun(entry: str) -> Noun:
    """A noun from its lexicon entry: `*` marks a plural, `~` a mass."""
    if entry.startswith("*"):
        return Noun(entry[1:], Number.MANY)
    if entry.startswith("~"):
        return Noun(entry[1:], Number.MASS)
    return Noun(entry)


def capitalise(text: str) -> str:
    """`text` with its first letter in upper case and the rest as it was."""
    return text[:1].upper() + text[1:]


_AGREEMENT = {
    # word: (one or mass, many)
    "is": ("is", "are"),
    "was": ("was", "were"),
    "has": ("has", "have"),
    "s": ("s", ""),
    "it": ("it", "them"),
    "its": ("its", "their"),
    "this": ("this", "these"),
}


_ON = ("coast", "shores", "shore", "islands", "island", "plateau", "steppe", "plain", "plains", "Sea", "pampas", "peninsula")


def _inside(place: str) -> str:
    """`place` after "in", or "on" for a coast, an island, a plain."""
    head = place.partition(" of ")[0].rsplit(" ", 1)[-1]
    return f"{'on' if head in _ON else 'in'} {place}"


def determined(word: str, thing: Noun) -> str:
    """`thing` after the determiner `word`; an upper-case first letter asks for the start of a sentence.

    Agreement words ("is", "s", "it", ...) give their own form for the noun's number and leave the noun out.
    """
    lower = word.lower()
    if lower == "in":
        return capitalise(_inside(thing.text)) if word[0].isupper() else _inside(thing.text)
    if lower in _AGREEMENT:
        form = _AGREEMENT[lower][thing.number is Number.MANY]
        return capitalise(form) if word != lower else form
    if lower == "a":
        if thing.number is Number.ONE:
            form = f"{indefinite(thing.text)} {thing.text}"
            return capitalise(form) if word != lower else form
        return f"Some {thing.text}" if word != lower else thing.text
    return f"{word} {thing.text}"
