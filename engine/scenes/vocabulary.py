"""The vocabulary of scenes: classes of five attributes, with the everyday words that mean each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from importlib.resources import files
from types import MappingProxyType

import regex

ATTRIBUTES = ("object", "background", "lighting", "palette", "layout")
"""What a scene is made of. VPTT's categories: objects and clothing, environment, lighting, colour, composition."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One class of each attribute."""

    object: str
    background: str
    lighting: str
    palette: str
    layout: str

    def labels(self) -> tuple[int, ...]:
        """The number of each class, in the order of ATTRIBUTES."""
        return tuple(classes(attribute).index(value) for attribute, value in zip(ATTRIBUTES, astuple(self), strict=True))


@functools.cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Words by attribute and class; the first word of a class is its name."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in files("engine.scenes").joinpath("vocabulary.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, words = line.partition(": ")
            section[name] = tuple(words.split(", "))
    return MappingProxyType({attribute: MappingProxyType(found[attribute]) for attribute in ATTRIBUTES})


@functools.cache
def classes(attribute: str) -> tuple[str, ...]:
    """The classes of an attribute, in the order that numbers them."""
    return tuple(vocabulary()[attribute])


@functools.cache
def _pattern() -> tuple[regex.Pattern[str], Mapping[str, tuple[str, str]]]:
    """One pattern of all words, the longest first ("top hat" before "hat"), and what each means."""
    meant = {
        word.casefold(): (attribute, name)
        for attribute, by_class in vocabulary().items()
        for name, words in by_class.items()
        for word in words
    }
    longest_first = sorted(meant, key=lambda word: (-len(word), word))
    either = "|".join(regex.escape(word) for word in longest_first)
    return regex.compile(rf"(?<![\w-])({either})(?:s|es)?(?![\w-])"), meant


def named(text: str) -> dict[str, tuple[str, ...]]:
    """The classes that `text` names by a word of the vocabulary, by attribute, each once and in the order of the text."""
    pattern, meant = _pattern()
    found: dict[str, dict[str, None]] = {}
    for match in pattern.finditer(text.casefold()):
        attribute, name = meant[match[1]]
        found.setdefault(attribute, {})[name] = None
    return {attribute: tuple(names) for attribute, names in found.items()}
