"""The word lists and the plain stemmer with which persona sheets are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources

from engine.tokens import tokens

_IRREGULAR = {
    "children": "child",
    "grandchildren": "grandchild",
    "men": "man",
    "women": "woman",
    "wives": "wife",
    "knives": "knife",
    "people": "person",
    "feet": "foot",
    "mice": "mouse",
    "hooves": "hoof",
    "leaves": "leaf",
    "frozen": "freeze",
    "gone": "go",
    "ran": "run",
    "swam": "swim",
    "drove": "driv",
    "drank": "drink",
    "drunk": "drink",
    "ate": "eat",
    "nursing": "nurs",
    "wedding": "wedding",
    "ceiling": "ceiling",
    "caring": "caring",
    "care": "caring",
    "cares": "caring",
    "cared": "caring",
    "leggings": "leggings",
    "news": "news",
    "united": "united",
    "bored": "bored",
    "being": "being",
    "during": "during",
    "spring": "spring",
    "morning": "morning",
    "string": "string",
    "clothing": "cloth",
    "clothes": "cloth",
    "evening": "evening",
    "building": "build",
    "shelves": "shelf",
}


def lines(file: str) -> Iterator[str]:
    """The lines of a lexicon file, without comments and blanks."""
    folder = resources.files("engine.profiles.persona") / "lexicon"
    for line in (folder / file).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


@lru_cache
def sections(file: str) -> dict[str, str]:
    """A lexicon file's sections: name -> its lines joined by a blank."""
    found: dict[str, list[str]] = {}
    for line in lines(file):
        if line.startswith("["):
            name, _, rest = line[1:].partition("]")
            found[name] = [rest.strip()]
        else:
            found[list(found)[-1]].append(line)
    return {name: " ".join(part for part in parts if part) for name, parts in found.items()}


@lru_cache
def words(section: str) -> frozenset[str]:
    """The words of a section of the word lists."""
    return frozenset(sections("words.txt")[section].split())


@lru_cache
def stemmed(section: str) -> frozenset[str]:
    """The stems of a section's words."""
    return frozenset(stem(word) for word in words(section))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A crude stem: singular, without -ing, -ed and a final e, so that `dogs` meets `dog` and `baking` meets `bake`."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and any(vowel in base for vowel in "aeiouy"):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=50_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's tokens, hyphens parted."""
    return tuple(stem(token) for token in tokens(text))


@lru_cache
def _same_thing() -> dict[str, frozenset[str]]:
    groups = [[stem(word) for word in line.split()] for line in lines("same_thing.txt")]
    named = {group[0] for group in groups}
    found: dict[str, set[str]] = {}
    for group in groups:
        # A group is entered by any of its words, but a word that heads a group of its own only by that one.
        for word in group:
            if word == group[0] or word not in named:
                found.setdefault(word, set()).update(group)
    return {word: frozenset(group) for word, group in found.items()}


def with_kindred(rejected: Iterable[str]) -> frozenset[str]:
    """Stems of rejected words and of the words for the same thing."""
    found: set[str] = set()
    for word in rejected:
        found.add(word)
        found |= _same_thing().get(word, frozenset())
    return frozenset(found)
