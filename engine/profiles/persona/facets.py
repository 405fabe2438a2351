"""Facets: what each affirmed sentence of a sheet contributes to E, and what the whole sheet rejects (VPTT, step 2)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.profiles.grammar.words import Theme, pool
from engine.profiles.persona.english import gerund_phrase
from engine.profiles.persona.extraction import fallback_items, items_in, relatives_in
from engine.profiles.persona.negation import read_sentence
from engine.profiles.persona.sheet import PersonaSheet
from engine.profiles.persona.strands import items_of, strand_of
from engine.profiles.persona.topics import Item, called_by, modifiers, topics, topics_in
from engine.profiles.persona.words import stem, stems, with_kindred, words

MAX_FACETS = 14
"""Facets of one person: each must show in at least two of the thirty captions."""

_TOPICS_PER_SENTENCE = 2
_TOPIC_ITEMS = {"objects": 2, "environment": 1, "actions": 2, "clothing": 1, "materials": 1}
_OWN = 4
_MODIFIED = {1: 0.95, 2: 0.36, 3: 0.5, 4: 0.5}
"""Share of items that get a modifier, by their number of words: two people with one hobby seldom own the same thing."""
_QUALIFIED = frozenset(("objects", "clothing", "environment", "materials", "actions"))

_CARRIED = re.compile(
    r"^(?:framed photo of|plate of|cup of|folded map of|pencil portrait with|sketch of) "
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
    remarks: tuple[str, ...] = ()


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
    """An item with one of its category's modifiers, most of the time: before a thing or place, behind an action."""
    if item.category not in _QUALIFIED or rng.random() > _MODIFIED.get(len(stems(item.text)), 0.0):
        return item
    modifier = rng.choice(_modifiers(item))
    text = f"{item.text} {modifier}" if item.category == "actions" else f"{modifier} {item.text}"
    words = stems(text)
    if not permitted(text, rejected) or len(words) > 6 or len(set(words)) < len(words):
        return item
    return replace(item, text=text, lead=item.lead.removesuffix("n") if item.lead.endswith(" an") else item.lead)


def _modifiers(item: Item) -> tuple[str, ...]:
    """The persona lexicon's modifiers and the grammar lexicon's qualities for a thing of that kind."""
    if item.living:
        return pool("qualities.txt", "living")
    if item.category == "objects":
        return modifiers("objects") + pool("qualities.txt", "thing")
    if item.category == "clothing":
        return modifiers("clothing") + pool("qualities.txt", "garment")
    if item.category == "actions":
        return modifiers("actions") + pool("manners.txt", "manner")
    if item.category == "materials":
        return modifiers("materials") + pool("qualities.txt", "substance")
    return modifiers(item.category) + pool("qualities.txt", "place.in" if item.lead.startswith(("in ", "inside ")) else "place.out")


def _facet(mark: str, clauses: Sequence[tuple[str, ...]], rejected: frozenset[str], used: set[Item], rng: random.Random) -> Facet | None:
    own = _unique(item for clause in clauses for item in items_in(clause) if _usable(item, rejected))
    if not own:
        own = _unique(item for clause in clauses for item in relatives_in(clause) if _usable(item, rejected))
    named = list(dict.fromkeys(name for clause in clauses for name in topics_in(clause)))[:_TOPICS_PER_SENTENCE]
    if not own and not named:
        own = _unique(item for clause in clauses for item in fallback_items(clause) if _usable(item, rejected))
    labels = tuple(label for label in _labels(own, clauses, named) if label and permitted(label, rejected))
    strands = {name: strand_of(name, rng) for name in named}
    own = _unique(with_modifier(item, rng, rejected) for item in _few(own, rng))
    items = _unique([*own, *(item for name in named for item in _topic_items(name, strands[name], rejected, used, rng))])
    if not items:
        return None
    remarks = tuple(remark for strand in strands.values() if strand for remark in strand.remarks if permitted(remark, rejected))
    return Facet(mark, tuple(named), tuple(own), tuple(items), labels, remarks)


def _few(own: Sequence[Item], rng: random.Random) -> list[Item]:
    """A few of a sentence's own items, one of each category at least: what it says of itself, in other things for another person."""
    shuffled = rng.sample(list(own), len(own))
    first = list({item.category: item for item in shuffled}.values())
    kept = {*first, *shuffled[:_OWN], *(item for item in own[:2] if item.category == "actions")}
    return [item for item in own if item in kept][: _OWN + 2]


def _topic_items(name: str, strand: Theme | None, rejected: frozenset[str], used: set[Item], rng: random.Random) -> list[Item]:
    chosen: list[Item] = []
    known = _unique([*topics()[name].items, *(items_of(strand) if strand else ())])
    for category, most in _TOPIC_ITEMS.items():
        offered = [item for item in known if item.category == category and _usable(item, rejected)]
        offered = [item for item in offered if item not in used] or offered
        picked = rng.sample(offered, min(most, len(offered)))
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
