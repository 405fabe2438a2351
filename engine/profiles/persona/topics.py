"""Topics: what a sentence's subject usually looks like, by category. The lexicon is ours (VPTT, step 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.profiles.persona.words import lines, sections, stem

_CODES = {
    "o": "objects",
    "e": "environment",
    "a": "actions",
    "c": "clothing",
    "m": "materials",
    "l": "lighting",
    "k": "colour",
    "p": "composition",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the lexicon: its text, how a caption leads into it ("in the"), and its kind: modifiable, a mass, alive, several."""

    category: str
    text: str
    lead: str = ""
    open: bool = False
    mass: bool = False
    living: bool = False
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject, the stemmed words or phrases that call it up, and what it looks like."""

    name: str
    triggers: frozenset[tuple[str, ...]]
    items: tuple[Item, ...]


def item_of(category: str, entry: str) -> Item:
    """An item from its entry in a lexicon file (the marks are explained at the top of `topics.txt`)."""
    entry = entry.strip()
    lead, _, text = entry.rpartition("|")
    text = text.strip()
    return Item(category, text.lstrip("*~"), lead.strip() if category == "environment" else "", text.startswith("*"), text.startswith("~"))


@lru_cache
def topics() -> dict[str, Topic]:
    """All topics by name, in the order of the file."""
    found: dict[str, Topic] = {}
    name, triggers, items = "", frozenset[tuple[str, ...]](), list[Item]()
    for line in [*lines("topics.txt"), "[]"]:
        if line.startswith("["):
            if name:
                found[name] = Topic(name, triggers, tuple(items))
            name, _, rest = line[1:].partition("]")
            triggers = frozenset(tuple(stem(word) for word in phrase.split("_")) for phrase in rest.split())
            items = []
        else:
            category = _CODES[line[0]]
            items += [item_of(category, entry) for entry in line[2:].split(";")]
    return found


@lru_cache
def _by_trigger() -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for topic in topics().values():
        for trigger in sorted(topic.triggers):
            found.setdefault(trigger, topic.name)
    return found


def topics_in(clause: Sequence[str]) -> list[str]:
    """Names of the topics that a clause's words call up, phrases before single words, then in the clause's order, none twice."""
    found: dict[str, tuple[int, int]] = {}
    known, stemmed = _by_trigger(), [stem(word) for word in clause]
    taken: set[int] = set()
    for length in (3, 2, 1):
        for i in range(len(stemmed) - length + 1):
            name = known.get(tuple(stemmed[i : i + length]))
            if name is not None and not taken & set(range(i, i + length)):
                taken.update(range(i, i + length))
                found.setdefault(name, (-length, i))
    return sorted(found, key=lambda name: found[name])


def called_by(clauses: Sequence[Sequence[str]], name: str) -> str:
    """The words of the clauses that call up topic `name`, as they are written; its name if there are none."""
    for clause in clauses:
        for length in (3, 2, 1):
            for i in range(len(clause) - length + 1):
                if _by_trigger().get(tuple(stem(word) for word in clause[i : i + length])) == name:
                    return " ".join(clause[i : i + length])
    return name.replace("_", " ")


@lru_cache
def everyday(category: str) -> tuple[Item, ...]:
    """Neutral items of a category ("actions" or "environment"), for what a sheet leaves open."""
    return tuple(item_of(category, entry) for entry in sections("everyday.txt")[category].split(";"))


@lru_cache
def modifiers(category: str) -> tuple[str, ...]:
    """What may stand before an item of a category (behind it, for actions)."""
    return _entries(f"modifying {category}")


def _entries(section: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in sections("everyday.txt")[section].split(";"))
