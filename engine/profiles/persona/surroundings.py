"""What surrounds a person where the sheet is silent: a named quarter, a few companions, light, colours, things. Invented and neutral.

The same surroundings return in all of a person's posts, as they do in real life; nobody else has the same. d keeps silent about them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.profiles.grammar.english import Number
from engine.profiles.grammar.words import Theme, nouns, pool, themes
from engine.profiles.persona.facets import permitted
from engine.profiles.persona.strands import items_of
from engine.profiles.persona.topics import Item, everyday, modifiers
from engine.profiles.persona.words import sections, stems

_HABITS, _CIRCLE = 2, 3
_MADE = ("metal", "wood", "cloth", "ceramic", "glass", "paper", "leather", "fibre", "plastic", "stone")
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A quarter to live in, companions, everyday habits, and everyday items by category."""

    home: Item | None
    companions: tuple[str, ...]
    everyday: dict[str, tuple[Item, ...]]
    remarks: tuple[str, ...]


def surroundings_of(unwanted: frozenset[str], rng: random.Random) -> Surroundings:
    """The surroundings of one person; nothing in them has a stem in `unwanted` (what the sheet rejects, and what its facets are about)."""
    draw = _Draw(unwanted, rng)
    habits = draw.habits()
    return Surroundings(
        home=draw.one(lambda: Item("environment", f"{_pick('first name of a place', rng)} {_pick('second name of a place', rng)}")),
        companions=draw.companions(),
        everyday={
            "lighting": draw.some(3, lambda: _light(rng)),
            "materials": draw.some(2, lambda: _material(rng)),
            "environment": draw.some(2, lambda: _modified(rng.choice(everyday("environment")), rng)),
            "objects": draw.some(3, lambda: _made(rng)),
            "actions": (*draw.of_habits(habits), *draw.some(1, lambda: _modified(rng.choice(everyday("actions")), rng))),
            "clothing": draw.some(2, lambda: _garment(rng)),
            "colour": draw.some(2, lambda: _colour(rng)),
            "composition": draw.some(3, lambda: _view(rng)),
        },
        remarks=tuple(remark for habit in habits for remark in habit.remarks if permitted(remark, unwanted)),
    )


class _Draw:
    def __init__(self, unwanted: frozenset[str], rng: random.Random) -> None:
        self.unwanted, self.rng = unwanted, rng

    def one(self, draw: Callable[[], Item]) -> Item | None:
        found = self.some(1, draw)
        return found[0] if found else None

    def some(self, most: int, draw: Callable[[], Item]) -> tuple[Item, ...]:
        """Up to `most` different items that are wanted."""
        found: dict[Item, None] = {}
        for _ in range(_TRIES * most):
            item = draw()
            words = stems(item.text)
            if permitted(item.text, self.unwanted) and len(words) <= 6 and len(set(words)) == len(words):
                found.setdefault(item)
            if len(found) == most:
                break
        return tuple(found)

    def companions(self) -> tuple[str, ...]:
        names = [name for name in _names() if permitted(name, self.unwanted)]
        forms = [form for form in _entries("companions") if permitted(form.replace("{}", ""), self.unwanted)]
        return tuple(self.rng.choice(forms).replace("{}", self.rng.choice(names)) for _ in range(_CIRCLE))

    def habits(self) -> list[Theme]:
        offered = [theme for theme in themes("daily") if permitted(f"{theme.title} {theme.alt}", self.unwanted)]
        return self.rng.sample(offered, min(_HABITS, len(offered)))

    def of_habits(self, habits: list[Theme]) -> tuple[Item, ...]:
        offered = [item for habit in habits for item in items_of(habit) if item.category == "actions"]
        return self.some(2, lambda: _modified(self.rng.choice(offered), self.rng)) if offered else ()


@lru_cache
def _names() -> tuple[str, ...]:
    return tuple(sorted({name.strip() for theme in themes("cultures") for name in theme.facts.get("names", "").split(",") if name.strip()}))


@lru_cache
def _entries(section: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in sections("surroundings.txt")[section].split(";"))


def _pick(section: str, rng: random.Random) -> str:
    return rng.choice(_entries(section))


def _modified(item: Item, rng: random.Random) -> Item:
    """A modifier before a place, behind an action."""
    modifier = rng.choice(modifiers(item.category))
    text = f"{item.text} {modifier}" if item.category == "actions" else f"{modifier} {item.text}"
    return replace(item, text=text, lead=item.lead.removesuffix("n") if item.lead.endswith(" an") else item.lead)


def _made(rng: random.Random) -> Item:
    """A thing of some material: "copper kettle", "dented copper kettle"."""
    kind = rng.choice(_MADE)
    thing = rng.choice(nouns("things.txt", kind))
    text = f"{rng.choice(pool('qualities.txt', 'material', kind))} {thing.text}"
    if rng.random() < 0.1:
        text = f"{rng.choice(pool('qualities.txt', 'thing'))} {text}"
    return Item("objects", text, mass=thing.number is Number.MASS, plural=thing.number is Number.MANY)


def _material(rng: random.Random) -> Item:
    kind = rng.choice(_MADE)
    return Item(
        "materials",
        f"{rng.choice(pool('qualities.txt', f'treat.{kind}'))} {rng.choice(pool('qualities.txt', 'material', kind))}",
        mass=True,
    )


def _garment(rng: random.Random) -> Item:
    kind = rng.choice(("any", "any", "outer", "head", "foot"))
    thing = rng.choice(nouns("things.txt", "garment", kind))
    quality = rng.choice(pool("qualities.txt", "garment", "shoe" if kind == "foot" else "any"))
    text = f"{quality} {thing.text}"
    if rng.random() < 0.1 and kind != "foot":
        text = f"{rng.choice(pool('colours.txt', 'plain'))} {text}"
    return Item("clothing", text, plural=thing.number is Number.MANY)


def _light(rng: random.Random) -> Item:
    source = _pick("sources of light", rng)
    text = source if " " in source and rng.random() < 0.4 else f"{rng.choice(pool('light.txt', 'natural'))} {source}"
    return Item("lighting", text, mass=True)


def _colour(rng: random.Random) -> Item:
    plain = rng.choice(pool("colours.txt", "plain"))
    return Item("colour", f"{rng.choice(pool('colours.txt', 'tone'))} {plain}" if rng.random() < 0.3 else plain)


def _view(rng: random.Random) -> Item:
    kind = rng.choice(pool("camera.txt", "kind"))
    text = f"{rng.choice(pool('camera.txt', 'quality'))} {kind}"
    if rng.random() < 0.1:
        text = f"{text} {rng.choice(pool('camera.txt', 'tail'))}"
    return Item("composition", text, mass=kind in pool("camera.txt", "kind", "mass"))
