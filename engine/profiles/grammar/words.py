"""Reads the lexicon: themes (what a person does), pools (words by what they qualify) and lines (clauses, asides, summaries).

A file holds `[section]` headings. In block files a section has `key: value, value` lines; in line files each line is one entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from engine.errors import InputError
from engine.profiles.grammar.english import Noun, noun

TIMES = ("dawn", "day", "dusk", "night")
CLIMATES = ("cold", "temperate", "mediterranean", "arid", "tropical", "mountain")
PREPOSITIONS = (
    "across from", "above", "across", "along", "among", "at", "behind", "below", "beneath", "beside", "between", "by", "down",
    "from", "in", "inside", "near", "off", "on", "opposite", "outside", "over", "past", "round", "through", "under", "up",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A place as a phrase: preposition, determiner ("" if none) and noun; a bare adverb has neither of the first two."""

    preposition: str
    determiner: str
    noun: str


@dataclass(frozen=True, slots=True)
class Theme:
    """A strand of a life (an occupation, an interest, a culture, an everyday habit) and the words that come with it."""

    title: str
    alt: str
    when: tuple[str, ...]
    climates: tuple[str, ...]
    actions: tuple[tuple[str, str], ...]
    """(setting, gerund phrase); the setting is "in", "out" or "any"."""
    places: tuple[tuple[str, Place], ...]
    nouns: dict[str, tuple[Noun, ...]]
    """By role: object, material, garment, food, plant, animal."""
    remarks: tuple[str, ...]
    facts: dict[str, str]
    """For a culture: region, home, climate and given names."""


Blocks = dict[str, dict[str, str]]


def _lines(name: str) -> list[tuple[int, str]]:
    text = files("engine.profiles.grammar.lexicon").joinpath(name).read_text(encoding="utf-8")
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]


@cache
def read_blocks(name: str) -> Blocks:
    """The sections of a block file. Raises InputError for a line that is neither a heading nor `key: value`."""
    blocks: Blocks = {}
    section = ""
    for number, line in _lines(name):
        if line.startswith("["):
            section = line.strip("[]")
            if section in blocks:
                raise InputError("section appears twice", file=name, line=number, field=section, remedy="Merge the two sections.")
            blocks[section] = {}
            continue
        key, colon, value = line.partition(": ")
        if not colon or not section or key in blocks[section]:
            raise InputError("not a new `key: value` line", file=name, line=number, field=section, remedy="Write `key: a, b`.")
        blocks[section][key] = value
    return blocks


@cache
def lines(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of a line file, each with its lines in order."""
    sections: dict[str, list[str]] = {}
    section = ""
    for _, line in _lines(name):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = []
        else:
            sections[section].append(line)
    return {section: tuple(entries) for section, entries in sections.items()}


def _split(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


@cache
def pool(name: str, section: str, key: str = "any") -> tuple[str, ...]:
    """The entries of one key of a block file, as written."""
    return _split(read_blocks(name)[section][key])


@cache
def nouns(name: str, section: str, key: str = "any") -> tuple[Noun, ...]:
    """The entries of one key of a block file, as nouns with their number."""
    return tuple(noun(entry) for entry in pool(name, section, key))


def parse_place(phrase: str) -> Place:
    """`in the honey shed` -> Place("in", "the", "honey shed")."""
    for preposition in PREPOSITIONS:
        if phrase.startswith(preposition + " "):
            rest = phrase[len(preposition) + 1 :]
            first, _, tail = rest.partition(" ")
            if first in ("the", "a", "an") and tail:
                return Place(preposition, "the" if first == "the" else "a", tail)
            return Place(preposition, "", rest)
    return Place("", "", phrase)


_ROLES = {"obj": "object", "mat": "material", "wear": "garment", "food": "food", "plant": "plant", "animal": "animal"}
_FACTS = ("region", "home", "climate", "names")


def _theme(title: str, block: dict[str, str]) -> Theme:
    actions = [("in", a) for a in _split(block.get("ido", ""))] + [("out", a) for a in _split(block.get("odo", ""))]
    actions += [("any", a) for a in _split(block.get("do", ""))]
    places = [("in", parse_place(p)) for p in _split(block.get("in", ""))] + [("out", parse_place(p)) for p in _split(block.get("out", ""))]
    return Theme(
        title=title,
        alt=block.get("alt", title),
        when=tuple(block["when"].split()) if "when" in block else (),
        climates=tuple(block["needs"].split()) if "needs" in block else CLIMATES,
        actions=tuple(actions),
        places=tuple(places),
        nouns={role: tuple(noun(entry) for entry in _split(block[key])) for key, role in _ROLES.items() if key in block},
        remarks=tuple(part.strip() for part in block.get("say", "").split(" | ") if part.strip()),
        facts={key: block[key] for key in _FACTS if key in block},
    )


@cache
def themes(kind: str) -> tuple[Theme, ...]:
    """All themes of a kind ("cultures", "interests", "occupations", "daily"), in the order of their files' names."""
    folder = files("engine.profiles.grammar.lexicon")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith(kind) and entry.name.endswith(".txt"))
    return tuple(_theme(title, block) for name in names for title, block in read_blocks(name).items())
