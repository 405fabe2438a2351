"""The words in which a language model is asked for a prompt: text files under `templates/`, loaded once.

system.txt                           who is asked, and to reply with the text alone
baseline.txt, persona.txt, ...       what a method may show of the person, one file a method
words-*.txt, phrases-*.txt           what to write under which budget, for a picture or for an edit; the query comes last
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import regex

from engine.keys import content_key

VERSION = "templates-1"

PLACEHOLDERS = ("summary", "captions", "elements", "query", "source", "region", "words", "phrases", "phrase_words")
"""What stands in braces in a template."""

SAME_AS = {"vprag-matched": "vprag"}
"""Methods that differ in what is retrieved, not in what is asked."""

_PLACEHOLDER = regex.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")


@cache
def templates() -> Mapping[str, str]:
    """All templates by name, without the white space at their ends."""
    folder = files("engine.prompting").joinpath("templates")
    return {
        file.name.removesuffix(".txt"): file.read_text(encoding="utf-8").strip()
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".txt")
    }


@cache
def templates_sha256() -> str:
    """One sha256 over all templates and their names, 64 hex characters: a changed word makes another writer."""
    return content_key(dict(templates()))


def filled(name: str, values: Mapping[str, str]) -> str:
    """Template `name` with its placeholders replaced. Braces in a value stay text: what was put in is not read again."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], templates()[name])
