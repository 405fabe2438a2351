"""The grammar builder: synthetic people by the four steps of deferred rendering, seeded and without a model (VPTT).

seed -> d and two summaries -> E -> 30 scenarios -> C. Person `index` depends on (seed, index) alone, never on how many are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from engine.errors import UsageError
from engine.keys import content_key, sha256
from engine.profiles.grammar.captions import CaptionWriter, Draft
from engine.profiles.grammar.demographics import Life, draw_life
from engine.profiles.grammar.dice import Dice
from engine.profiles.grammar.elements import Word, draw_elements
from engine.profiles.grammar.scenarios import Scenario, draw_scenarios
from engine.profiles.grammar.summaries import summarise
from engine.profiles.grammar.voice import draw_voice
from engine.records import Profile
from engine.tokens import tokens

TRIES = 8
"""To write a caption that is not nearly an earlier one's."""

GRAMMAR_VERSION = 2
"""Raised whenever the code changes what is built; it is part of every profile's `source`."""


def grammar_id() -> str:
    """What pins the people of a seed: the version of the code, and the words it draws from."""
    folder = files("engine.profiles.grammar.lexicon")
    entries = sorted((entry.name, sha256(entry.read_bytes())) for entry in folder.iterdir() if entry.name.endswith(".txt"))
    return f"grammar-{GRAMMAR_VERSION}-{content_key([list(entry) for entry in entries])[:8]}"


@dataclass(frozen=True, slots=True)
class _Person:
    life: Life
    words: tuple[Word, ...]
    drafts: tuple[Draft, ...]


def _dice(seed: int, index: int, step: str) -> Dice:
    return Dice("grammar", str(GRAMMAR_VERSION), str(seed), str(index), step)


def _person(index: int, seed: int) -> _Person:
    if index < 0 or seed < 0:
        raise UsageError(f"index {index} and seed {seed} must not be negative.", remedy="Give whole numbers from 0.")
    life = draw_life(index, seed, _dice(seed, index, "demographics"))
    words = draw_elements(life, _dice(seed, index, "elements"))
    scenarios = draw_scenarios(life, words, _dice(seed, index, "scenarios"))
    dice = _dice(seed, index, "captions")
    return _Person(life, words, _written(CaptionWriter(life, words, draw_voice(dice), dice), scenarios))


def _written(writer: CaptionWriter, scenarios: Sequence[Scenario]) -> tuple[Draft, ...]:
    """A caption a scenario, written again where it shares a third of its words with an earlier one: nearly equal captions of one person
    would make a held-out one known beforehand."""
    drafts: list[Draft] = []
    told: list[frozenset[str]] = []
    for scenario in scenarios:
        for _ in range(TRIES):
            draft = writer.write(scenario)
            words = frozenset(tokens(draft.caption.text))
            if all(3 * len(words & earlier) < len(words | earlier) for earlier in told):
                break
        drafts.append(draft)
        told.append(words)
    return tuple(drafts)


def build_profile(index: int, seed: int) -> Profile:
    """Person number `index` of `seed`: d, E, 30 captions and two summaries. Raises UsageError for a negative number."""
    person = _person(index, seed)
    given, reference = summarise(person.life, _dice(seed, index, "summaries"))
    identity = f"g{seed}-{index:06d}"
    return Profile(
        id=identity,
        demographics=person.life.demographics,
        summary_given=given,
        summary_ref=reference,
        elements=tuple(word.element for word in person.words),
        captions=tuple(draft.caption for draft in person.drafts),
        cluster=identity,
        source=f"grammar:{GRAMMAR_VERSION}:{seed}",
    )


def build_profiles(n: int, seed: int) -> Iterator[Profile]:
    """The first `n` people of `seed`, one at a time in constant memory."""
    return (build_profile(index, seed) for index in range(n))


def skeletons(index: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """The clause patterns of each caption of person `index`: what the quality figures count as sentence skeletons."""
    return tuple(draft.skeleton for draft in _person(index, seed).drafts)
