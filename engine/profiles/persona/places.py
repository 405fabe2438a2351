"""Places that a sheet may name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import lines


@lru_cache(maxsize=10_000)
def place_in(said: str) -> str:
    """The first place of the lexicon that lower-case text names, as it is spelled; "" if none."""
    words_said = set(said.split())
    found = [
        (match.start(), -len(name), name)
        for name in _place_names()
        if name.split()[0].lower() in words_said and (match := re.search(rf"\b{re.escape(name.lower())}\b", said))
    ]
    return min(found)[2] if found else ""


@lru_cache
def _place_names() -> list[str]:
    return [name.strip() for line in lines("places.txt") for name in line.split(";")]


def place_items(said: str) -> Iterator[Item]:
    """Keepsakes of the place that lower-case text names, if any."""
    place = place_in(said)
    if place:
        for text in (f"{place} postcard", f"folded map of {place}", f"{place} fridge magnet", f"{place} keyring"):
            yield Item("objects", text)
