"""The clauses of a post: an opening by what the post is about, details behind it, in the clause language of the grammar builder."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.profiles.grammar.clauses import Clause, clauses, compile_clause
from engine.profiles.grammar.english import Noun, Number
from engine.profiles.persona.english import is_plural
from engine.profiles.persona.topics import Item
from engine.profiles.persona.words import lines, words

SLOTS = {
    "act": "actions", "act2": "actions", "hobby": "actions", "passion": "actions",
    "place": "environment", "spot": "environment", "home": "environment",
    "obj": "objects", "obj2": "objects", "animal": "objects",
    "wear": "clothing", "wear2": "clothing", "mat": "materials",
    "light": "lighting", "col": "colour", "col2": "colour", "comp": "composition",
}  # fmt: skip
"""Slots that hold an element, and its category."""

DETAILS = {
    "passion": 2.8, "obj": 1.8, "act2": 1.4, "animal": 1.3, "hobby": 1.6, "mat": 0.4, "wear": 0.5, "who": 1.0,
    "light": 0.2, "comp": 0.15, "col": 0.12, "trade": 0.7, "wind": 0.03,
}  # fmt: skip
"""Weights of the detail sections. The quarter has none: a post that names it does so first of all."""

_OPENING = {"actions": "doing", "environment": "view", "clothing": "outfit", "colour": "shade"}
_WITH_ARTICLE = re.compile(r"\b(?:the|my|your|this|that|a|some|whole|other) \{(?:passion|hobby|act2)\}")
_OURS = frozenset({"being", "shade", "home", "trade"})


def opening_of(item: Item) -> str:
    """The section of openings for a post about an item."""
    return _OPENING.get(item.category, "being" if item.living else "thing" if item.category == "objects" else "doing")


def slot_of(item: Item) -> str:
    """The slot in which an item is what a post is about."""
    if item.category == "objects":
        return "animal" if item.living else "obj"
    return next(slot for slot, category in SLOTS.items() if category == item.category)


def openings(kind: str) -> tuple[Clause, ...]:
    """The opening clauses for a kind of post."""
    return _own(kind) if kind in _OURS else clauses("openings.txt", kind)


@lru_cache
def details(section: str) -> tuple[Clause, ...]:
    """The clauses of a detail section; what a person does is a phrase ("driving a truck") and takes no article before it."""
    if section in _OURS:
        return _own(section)
    return tuple(clause for clause in clauses("details.txt", section) if not _WITH_ARTICLE.search(clause.pattern))


@lru_cache
def _own(section: str) -> tuple[Clause, ...]:
    found: dict[str, list[str]] = {}
    for line in lines("posts.txt"):
        if line.startswith("["):
            found[line.strip("[]")] = here = []
        else:
            here.append(line)
    return tuple(compile_clause(pattern, file="posts.txt") for pattern in found[section])


def noun_of(item: Item) -> Noun:
    """An item as a noun phrase with its number."""
    if item.plural:
        return Noun(item.text, Number.MANY)
    last = item.text.split(" of ")[0].split()[-1]
    if item.mass or (" of " not in item.text and last in words("mass")):
        return Noun(item.text, Number.MASS)
    return Noun(item.text, Number.MANY if is_plural(item.text) else Number.ONE)
