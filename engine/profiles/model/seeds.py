"""Who the people of a build are to be: persona seeds from a file, or demographics that the grammar draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.profiles.articles import indefinite
from engine.profiles.grammar.demographics import draw_life
from engine.profiles.grammar.dice import Dice
from engine.profiles.importing import distinct_sheets
from engine.profiles.persona.building import persona_id
from engine.profiles.persona.clusters import clusters_of
from engine.profiles.persona.negation import read_sentence
from engine.profiles.persona.sheet import PersonaSheet
from engine.profiles.persona.words import with_kindred
from engine.profiles.rows import raw_rows
from engine.profiles.validation import BadRow
from engine.records import Demographics

VERSION = "1"
"""Raised whenever the grammar's seeds of an index change."""


@dataclass(frozen=True, slots=True)
class PersonaSeed:
    """One person to be: what the model is told, the demographics if they are known beforehand, the stems of what the seed rejects."""

    id: str
    cluster: str
    text: str
    demographics: Demographics | None = None
    rejected: frozenset[str] = frozenset()

    @property
    def own_words(self) -> tuple[str, ...]:
        """Sentences that no caption may repeat: those of a person who wrote them, not those that are made of demographics."""
        return () if self.demographics else (self.text,)


def grammar_seeds(n: int, seed: int) -> Iterator[PersonaSeed]:
    """The first `n` seeds: age, culture and trade go round the grammar's circles, so they are independent by design."""
    for index in range(n):
        d = draw_life(index, seed, Dice("model seeds", VERSION, str(seed), str(index))).demographics
        age = d.age_band.replace("-", " to ").replace("75+", "75 or more")
        work = f"{indefinite(d.occupation)} {d.occupation}"
        text = f"{work[0].upper()}{work[1:]} from {d.region}, {d.culture} by culture, {age} years old. Likes {', '.join(d.interests)}."
        identity = f"{seed}-{index:06d}"
        yield PersonaSeed(identity, identity, text, d)


def file_seeds(path: Path) -> tuple[list[PersonaSeed], list[BadRow]]:
    """The distinct seeds of a file (`engine.profiles.importing`) in its order, and the rows refused.

    Raises InputError for an unreadable file.
    """
    read = distinct_sheets(raw_rows(path, text_lines=True))
    clusters = clusters_of({persona_id(sheet): sheet.marks for sheet in read.sheets})
    return [_seed(sheet, clusters[persona_id(sheet)]) for sheet in read.sheets], read.bad


def _seed(sheet: PersonaSheet, cluster: str) -> PersonaSeed:
    rejected = with_kindred(word for sentence in sheet.sentences for word in read_sentence(sentence).rejected)
    return PersonaSeed(persona_id(sheet), cluster, " ".join(sheet.sentences), None, rejected)
