"""Clause patterns: a small template language over noun phrases, and the sections of patterns a caption is composed of.

`{slot}` puts a phrase in; `{a obj}` puts a determiner before it that agrees in number and sound; `{is obj}`, `{s obj}`, `{it obj}`
agree with the slot's noun without repeating it. An upper-case first letter marks the start of a sentence. A leading "+" continues the
sentence before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import regex

from engine.errors import InputError
from engine.profiles.grammar.english import Noun, capitalise, determined
from engine.profiles.grammar.words import lines

_SLOT = regex.compile(r"\{(?:(\w+) )?(\w+)\}")
_AGREEING = frozenset({"is", "was", "has", "s", "it", "its", "this"})
_ENDS_OPEN = regex.compile(r"\{(?:(?:a|the|my|A|The|My) )?(place|act|obj|obj2|spot)\}\.$")
_ENDS_WITH_ME = regex.compile(r"\{(?:place|act)\}\.$")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a pattern: literal text, or a slot with its determiner."""

    text: str
    slot: str = ""
    word: str = ""
    capital: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A compiled pattern."""

    pattern: str
    parts: tuple[Part, ...]
    needs: frozenset[str]
    """Slots that must be filled."""
    shows: frozenset[str]
    """Slots whose phrase appears in the text."""
    continues: bool
    open_end: bool
    """A later clause may continue this one."""
    about_me: bool
    """What continues it may speak of the person (clothes, company)."""

    def render(self, slots: Mapping[str, Noun]) -> str:
        """The clause with its slots filled."""
        out = []
        for part in self.parts:
            if not part.slot:
                out.append(part.text)
                continue
            thing = slots[part.slot]
            text = determined(part.word, thing) if part.word else thing.text
            out.append(capitalise(text) if part.capital else text)
        return "".join(out)


# Slots whose phrase may open a sentence with a capital: they are never recorded as elements.
_FREE = frozenset({"who", "clock", "day", "time", "n", "place", "hobby"})


def compile_clause(pattern: str, *, file: str = "") -> Clause:
    """The clause of a pattern. Raises InputError where a sentence would begin with a bare element, whose capital would alter it."""
    continues = pattern.startswith("+")
    body = pattern[1:] if continues else pattern
    parts: list[Part] = []
    shows: set[str] = set()
    needs: set[str] = set()
    end = 0
    for match in _SLOT.finditer(body):
        if match.start() > end:
            parts.append(Part(body[end : match.start()]))
        word, name = match[1] or "", match[2]
        slot = name.lower()
        needs.add(slot)
        if word.lower() not in _AGREEING:
            shows.add(slot)
        if not word and match.start() == 0 and not continues and slot not in _FREE:
            raise InputError("a sentence begins with a bare element", file=file, field=pattern, remedy="Put a determiner before it.")
        parts.append(Part("", slot, word, capital=not word and name != slot))
        end = match.end()
    if end < len(body):
        parts.append(Part(body[end:]))
    return Clause(
        pattern=pattern,
        parts=tuple(parts),
        needs=frozenset(needs),
        shows=frozenset(shows),
        continues=continues,
        open_end=_ENDS_OPEN.search(body) is not None,
        about_me=_ENDS_WITH_ME.search(body) is not None,
    )


@cache
def clauses(name: str, section: str) -> tuple[Clause, ...]:
    """The compiled patterns of one section of a line file."""
    return tuple(compile_clause(pattern, file=name) for pattern in lines(name)[section])
