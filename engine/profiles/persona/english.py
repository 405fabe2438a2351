"""The little English grammar that captions need: articles, plurals, -ing forms, the spelling of names."""

from __future__ import annotations

import re

from engine.profiles.articles import indefinite
from engine.profiles.persona.words import words
from engine.tokens import tokens


def gerund(base: str) -> str:
    """The -ing form of a bare verb."""
    if base.endswith("e") and base not in ("dye", "canoe"):
        return base[:-1] + "ing"
    if base in ("swim", "run", "jog", "knit", "shop", "grill", "box", "tan", "dig", "chat"):
        return base + (base[-1] if base not in ("grill", "box") else "") + "ing"
    return base + "ing"


def is_gerund(word: str) -> bool:
    """Whether a word is the -ing form of an action of the lexicon."""
    return word.endswith("ing") and (word in words("alone") or word[:-3] in words("verbs") or f"{word[:-3]}e" in words("verbs"))


def gerund_phrase(phrase: str) -> str:
    """A phrase that starts with a bare verb as an activity: "meet new people" -> "meeting new people"."""
    first, _, rest = phrase.partition(" ")
    return f"{gerund(first)} {rest}".strip() if first in ("meet", "hang", "help", "volunteer", "retire", "donate", "eat") else phrase


def singular(phrase: str) -> str:
    """A noun phrase with its last word in the singular."""
    *rest, last = phrase.split()
    if last in words("unchanging") or last.endswith(("ss", "us", "is", "ics")):
        return phrase
    if last.endswith("ies") and len(last) > 4:
        last = last[:-1] if last in words("short_ies") else last[:-3] + "y"
    elif last.endswith(("ches", "shes", "xes")):
        last = last[:-2]
    elif last.endswith("s"):
        last = last[:-1]
    return " ".join([*rest, last])


def is_plural(text: str) -> bool:
    """Whether the head of a noun phrase (its last word before "of", "on", "with" ...) is a plural."""
    head = re.split(r" (?:of|on|in|with|over|behind|from|for|around|under|to|about|and) ", text)[0].split()[-1].lower()
    return (head.endswith("s") and not head.endswith(("ss", "us", "is", "lens"))) or head in ("children", "people")


def with_article(text: str, *, mass: bool = False) -> str:
    """A noun phrase with "a" or "an" where it takes one."""
    last = tokens(text)[-1:] if " of " not in text else tokens(text.split(" of ")[0])[-1:]
    first = text.split()[0].lower()
    if mass or is_plural(text) or (last and last[0] in words("mass") and " of " not in text) or first in ("two", "half", "one"):
        return text
    return f"{indefinite(text)} {text}"


def branded(phrase: str) -> str:
    """A phrase with the known names in it spelled as names."""
    brands = words("brands")
    return " ".join((word.upper() if len(word) <= 3 else word.capitalize()) if word in brands else word for word in phrase.split())
