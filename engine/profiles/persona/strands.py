"""What a topic may borrow from the themes of the grammar lexicon, so that two people with one hobby seldom show the same things."""

from __future__ import annotations

import random
from functools import lru_cache

from engine.profiles.grammar.english import Noun, Number
from engine.profiles.grammar.words import Theme, themes
from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import lines

_CATEGORY = {"object": "objects", "material": "materials", "garment": "clothing"}


@lru_cache
def lenders() -> dict[str, tuple[str, ...]]:
    """Topic -> titles of the themes that lend it their words."""
    pairs = (line.split(":", 1) for line in lines("strands.txt"))
    return {topic.strip(): tuple(title.strip() for title in titles.split(";")) for topic, titles in pairs}


@lru_cache
def _themes() -> dict[str, Theme]:
    return {theme.title: theme for kind in ("interests", "occupations", "daily") for theme in themes(kind)}


def strand_of(topic: str, rng: random.Random) -> Theme | None:
    """One theme that lends its words to a topic; None if there is none. Titles that the lexicon no longer has are passed over."""
    known = [_themes()[title] for title in lenders().get(topic, ()) if title in _themes()]
    return rng.choice(known) if known else None


def items_of(theme: Theme) -> tuple[Item, ...]:
    """A theme's actions, places, objects, materials and garments as items for captions; bare adverbs of place are left out."""
    found = [Item("actions", action, open=True) for _, action in theme.actions]
    for _, place in theme.places:
        if place.preposition and place.determiner:
            found.append(Item("environment", place.noun, lead=f"{place.preposition} {place.determiner}", open=True))
    for role, category in _CATEGORY.items():
        found += [_thing(category, thing) for thing in theme.nouns.get(role, ())]
    return tuple(found)


def _thing(category: str, thing: Noun) -> Item:
    return Item(category, thing.text, open=category != "materials", mass=thing.number is Number.MASS, plural=thing.number is Number.MANY)
