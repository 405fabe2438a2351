"""Facets: what each affirmed sentence of a sheet contributes to E, and what the whole sheet rejects (VPTT, step 2)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.profiles.persona.english import gerund_phrase
from engine.profiles.persona.extraction import fallback_items, items_in, relatives_in
from engine.profiles.persona.negation import read_sentence
from engine.profiles.persona.sheet import PersonaSheet
from engine.profiles.persona.topics import Item, called_by, modifiers, topics, topics_in
from engine.profiles.persona.words import stem, stems, with_kindred, words

MAX_FACETS = 14
"""Facets of one person: each must show in at least two of the thirty captions."""

_TOPICS_PER_SENTENCE = 2
_TOPIC_ITEMS = {"objects": 4, "environment": 2, "actions": 3, "clothing": 2, "materials": 1}
_MODIFIED = 0.6
"""Share of open items that get a modifier: two people with one hobby seldom own the same thing."""

_CARRIED = re.compile(
    r"^(?:framed photo of|birthday card for|plate of|cup of|folded map of|pencil portrait with|sketch of) "
    r"| (?:magazine|poster|postcard|calendar)$"
)


@dataclass(frozen=True, slots=True)
class Facet:
    """One affirmed, visual sentence: its mark, topics, the items that render it (the sentence's own first), and short labels."""

    mark: str
    topics: tuple[str, ...]
    own: tuple[Item, ...]
    items: tuple[Item, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Understanding:
    """A sheet understood: its affirmed clauses, its facets in the order of the sheet, and the stems that nothing may show."""

    clauses: tuple[tuple[str, ...], ...]
    facets: tuple[Facet, ...]
    rejected: frozenset[str]


def understand(sheet: PersonaSheet, rng: random.Random) -> Understanding:
    """The facets of a sheet. A rejection anywhere wins over an affirmation anywhere else."""
    readings = [read_sentence(sentence) for sentence in sheet.sentences]
    rejected = with_kindred(word for reading in readings for word in reading.rejected)
    facets: list[Facet] = []
    used: set[Item] = set()  # sentences on one topic divide it among themselves
    for mark, reading in zip(sheet.marks, readings, strict=True):
        facet = _facet(mark, reading.affirmed, rejected, used, rng)
        if facet is not None and len(facets) < MAX_FACETS:
            facets.append(facet)
    clauses = tuple(clause for reading in readings for clause in reading.affirmed)
    return Understanding(clauses, tuple(facets), rejected)


def permitted(text: str, rejected: frozenset[str]) -> bool:
    """Whether a text shows nothing that was rejected."""
    return rejected.isdisjoint(stems(text))


def content_of(facets: Sequence[Facet]) -> frozenset[str]:
    """Stems of what the facets are about: everyday material keeps away from them."""
    plain = words("function") | words("hollow")
    return frozenset(stem(word) for facet in facets for word in facet.mark.split() if word not in plain and len(word) > 2)


def with_modifier(item: Item, rng: random.Random, rejected: frozenset[str]) -> Item:
    """An item with one of its category's modifiers, some of the time: before a thing or place, behind an action."""
    open_ = item.open if item.category in ("objects", "clothing") else item.category in ("environment", "materials", "actions")
    if not open_ or item.lead.endswith(" an") or rng.random() > _MODIFIED:
        return item
    modifier = rng.choice(modifiers(item.category))
    text = f"{item.text} {modifier}" if item.category == "actions" else f"{modifier} {item.text}"
    return replace(item, text=text) if permitted(text, rejected) and len(stems(text)) <= 6 else item


def _facet(mark: str, clauses: Sequence[tuple[str, ...]], rejected: frozenset[str], used: set[Item], rng: random.Random) -> Facet | None:
    own = _unique(item for clause in clauses for item in items_in(clause) if _usable(item, rejected))
    if not own:
        own = _unique(item for clause in clauses for item in relatives_in(clause) if _usable(item, rejected))
    named = list(dict.fromkeys(name for clause in clauses for name in topics_in(clause)))[:_TOPICS_PER_SENTENCE]
    if not own and not named:
        own = _unique(item for clause in clauses for item in fallback_items(clause) if _usable(item, rejected))
    items = _unique([*own, *(item for name in named for item in _topic_items(name, rejected, used, rng))])
    if not items:
        return None
    labels = tuple(label for label in _labels(own, clauses, named) if label and permitted(label, rejected))
    return Facet(mark, tuple(named), tuple(own[:7]), tuple(items), labels)


def _topic_items(name: str, rejected: frozenset[str], used: set[Item], rng: random.Random) -> list[Item]:
    chosen: list[Item] = []
    for category, most in _TOPIC_ITEMS.items():
        pool = [item for item in topics()[name].items if item.category == category and _usable(item, rejected)]
        pool = [item for item in pool if item not in used] or pool
        picked = rng.sample(pool, min(most, len(pool)))
        used.update(picked)
        chosen += [with_modifier(item, rng, rejected) for item in picked]
    return chosen


def _usable(item: Item, rejected: frozenset[str]) -> bool:
    return permitted(item.text, rejected) and 0 < len(stems(item.text)) <= 6


def _unique(items: Iterable[Item]) -> list[Item]:
    return list({(item.category, item.text): item for item in items}.values())


def _labels(own: Sequence[Item], clauses: Sequence[tuple[str, ...]], named: Sequence[str]) -> list[str]:
    """What the facet is called in d: its actions, else the sentence's own first thing, else the words that called up its topic."""
    first = [item for item in own if item.category == "actions"][:2] or list(own[:1])
    if first:
        return [re.sub(r"\b(my|our)\b", "their", _CARRIED.sub("", item.text)) for item in first]
    if not named:
        return []
    called = called_by(clauses, named[0])
    return [named[0].replace("_", " ") if called.split()[-1].endswith("ed") else gerund_phrase(called)]
