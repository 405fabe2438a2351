"""Noun phrases of a sentence, and the things in which a caption can show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.profiles.persona.english import branded, singular
from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import stem, stemmed, words

_OF_PERSONS = (
    "framed photo of my {}", "letter from my {}", "recipe from my {}", "mug from my {}", "birthday card for my {}",
    "drawing of my {}", "gift for my {}", "old video of my {}", "postcard to my {}", "scarf from my {}", "poem for my {}",
    "wallet photo of my {}", "note from my {}", "keepsake from my {}",
)  # fmt: skip
_OF_ANIMALS = ("{} hair", "{} sketch", "{} calendar", "{} photo", "{} figurine", "{} blanket", "{} mug", "{} sticker", "{} cushion")
_OF_SUBJECTS = (
    "{} magazine", "{} poster", "{} calendar", "{} scrapbook", "{} sticker", "{} leaflet", "{} jigsaw", "{} print", "{} badge",
    "{} handbook", "{} notebook", "{} postcard", "{} clipping", "{} stamp", "{} tea towel",
)  # fmt: skip
"""What shows somebody who is not there, an animal, and a subject that cannot be seen."""


def noun_phrase(following: Sequence[str]) -> str:
    """The noun phrase at the start of some words: determiners and numbers dropped, at most three words, "" if it says nothing visible."""
    skipped = words("function") | words("hollow") | words("determining")
    kept: list[str] = []
    for i, word in enumerate(following):
        if word.isdigit() or len(word) == 1:
            continue
        if len(kept) == 3 + ("of" in kept) or word in words("breaking"):
            break
        joins = word == "of" and len(kept) == 1 and i + 1 < len(following) and following[i + 1] not in skipped
        if joins or (kept and word in ("food", "music", "movie", "movies", "books", "book", "plan")):
            kept.append(word)
        elif word in skipped:
            if kept:
                break
        else:
            kept.append(word)
    last = kept[-1] if kept else ""
    misread = any(word in words("verbs") for word in kept[:-1]) or (kept and kept[0].endswith("ing") and kept[0] not in words("ingnouns"))
    misread = misread or (kept and kept[0].endswith("ed") and stem(kept[0]) in stemmed("verbs"))
    dull = last in words("nonvisual") | words("when") or last.endswith(("ed", "ly")) or last == "of"
    if not kept or dull or misread or (len(kept) == 1 and (last in words("verbs") or last.endswith("ing"))):
        return ""
    return " ".join(kept)


def noun_items(phrase: str, *, owned: bool) -> Iterator[Item]:
    """What owning, or liking, the thing of a noun phrase looks like."""
    head = stem(phrase.split()[-1])
    if head in stemmed("animals"):
        one = singular(phrase)
        yield Item("objects", one, living=True)
        for carrier in _OF_ANIMALS:
            yield Item("objects", carrier.format(one))
    elif head in stemmed("persons"):
        for carrier in _OF_PERSONS:
            yield Item("objects", carrier.format(phrase))
    elif head in stemmed("body"):
        yield Item("objects", f"pencil portrait with {phrase}" if phrase.split()[0] != phrase else f"sketch of {phrase}")
    elif head in stemmed("venues"):
        yield Item("environment", singular(phrase), lead="at the")
    elif head in stemmed("garments"):
        yield Item("clothing", phrase)
    elif owned:
        yield Item("objects", branded(singular(phrase)))
    else:
        yield from carried(phrase)


def carried(subject: str) -> Iterator[Item]:
    """A subject in printed things that suit any subject."""
    subject = singular(subject)
    for carrier in _OF_SUBJECTS:
        yield Item("objects", carrier.format(branded(subject)))
