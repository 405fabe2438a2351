"""Sentence patterns for captions: alternatives in brackets, typed slots in braces (VPTT, step 4)."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import lru_cache

from engine.profiles.articles import with_right_articles
from engine.profiles.persona.english import is_plural, with_article
from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import lines

CATEGORY_OF = {
    "obj": "objects",
    "one": "objects",
    "being": "objects",
    "act": "actions",
    "env": "environment",
    "wear": "clothing",
    "light": "lighting",
    "mat": "materials",
    "col": "colour",
    "comp": "composition",
}
_SLOT = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\[([^\[\]{}]*\|[^\[\]{}]*)\]")
# What a sentence may open with where an element that must keep its spelling cannot.
_OPENERS = {
    "objects": ("Some", "The", "My"),
    "actions": ("Still", "Me,", "Just", "Mostly", "Busy", "Caught", "Once more", "Here I am,"),
    "lighting": ("That", "Some", "This"),
    "materials": ("More", "Some", "All that", "Mostly"),
    "colour": ("All", "So much", "A little", "Plenty of"),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """One gap of a pattern: its name as written, its kind and the category that fills it."""

    written: str
    kind: str
    category: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern and its slots in order."""

    text: str
    slots: tuple[Slot, ...]


@lru_cache
def patterns() -> tuple[Pattern, ...]:
    """All patterns of the lexicon."""
    return tuple(pattern_of(line) for line in lines("patterns.txt"))


@lru_cache
def tails() -> tuple[Pattern, ...]:
    """The remarks that may follow a post."""
    return tuple(pattern_of(line) for line in lines("tails.txt"))


@lru_cache
def pattern_of(text: str) -> Pattern:
    """A pattern from its text."""
    return Pattern(text, tuple(Slot(name, _kind(name), CATEGORY_OF[_kind(name)]) for name in _SLOT.findall(text)))


def _kind(name: str) -> str:
    return name.lower().rstrip("02")


def fits(slot: Slot, item: Item) -> bool:
    """Whether an item may fill a slot: animals only where a sentence suits them, single things where the verb needs one."""
    if item.category != slot.category or item.living != (slot.kind == "being"):
        return False
    return slot.kind != "one" or not (item.mass or is_plural(item.text))


def suiting(item: Item) -> tuple[Pattern, ...]:
    """The patterns with a slot that an item may fill."""
    return _suiting(item.category, item.living, item.mass or is_plural(item.text))


@lru_cache
def _suiting(category: str, living: bool, several: bool) -> tuple[Pattern, ...]:
    like = Item(category, "things" if several else "thing", living=living)
    return tuple(pattern for pattern in patterns() if any(fits(slot, like) for slot in pattern.slots))


def written(pattern: Pattern, filling: list[Item], rng: random.Random) -> str:
    """The pattern with its alternatives chosen and its slots filled, each element spelled exactly as in E."""
    chosen = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), pattern.text)
    chosen = re.sub(r"\[([^\[\]]*\|[^\[\]]*)\]", lambda match: rng.choice(match[1].split("|")), chosen)
    items = iter(filling)
    return with_right_articles(_SLOT.sub(lambda match: _rendered(match[1], next(items), rng), chosen))


def _rendered(name: str, item: Item, rng: random.Random) -> str:
    kind, opens = name.lower().rstrip("02"), name[0].isupper()
    if kind == "env":
        lead = item.lead or "at the"
        return f"{lead[0].upper() + lead[1:] if opens else lead} {item.text}"
    if kind in ("obj", "one", "being"):
        if name.endswith("0"):
            return item.text
        phrase = with_article(item.text, mass=item.mass)
        if not opens:
            return phrase
        return phrase[0].upper() + phrase[1:] if phrase != item.text else f"{rng.choice(_OPENERS['objects'])} {phrase}"
    return f"{rng.choice(_OPENERS[item.category])} {item.text}" if opens and item.category in _OPENERS else item.text
