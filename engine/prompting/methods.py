"""The methods: what each one sees of a person, and the phrases it hands a writer, ranked best first.

    baseline   the query only
    persona    summary phrases
    brag       caption clauses, round-robin over the captions, so that no retrieval decides the order
    vprag      retrieved elements, then summary phrases (in the prompt the summary stands first)
    vprag-matched   vprag with the tau that was matched to the encoder (METRICS, VPRAG)
    combined   brag's clause and vprag's element in turn

Source: VPTT, Methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from engine.errors import ConfigError
from engine.keys import Json
from engine.nearest import did_you_mean
from engine.prompting.evidence import Evidence
from engine.prompting.phrases import SUMMARY, Phrase, caption_source, clauses, element_source, tidied
from engine.records import Caption, Profile, Query
from engine.tokens import TOKEN_RULE, tokens

Sight = Literal["summary", "captions", "retrieval"]
VERSION = "material-1"


@dataclass(frozen=True, slots=True)
class Method:
    """One way of personalising a prompt.

    `sees` says what of the profile reaches a writer; nothing else may. `extractive` is true where the *template* writer pastes the
    person's own captions: such prompts are labelled and left out of the verdict (VPTT, Methods).
    """

    name: str
    sees: frozenset[Sight]
    extractive: bool
    rank: Callable[[Profile, tuple[Phrase, ...]], tuple[Phrase, ...]]
    matched: bool = False
    """Whether it retrieves with the tau that was matched to the encoder, instead of the paper's."""

    def material(self, profile: Profile, query: Query, evidence: Evidence | None) -> tuple[Phrase, ...]:
        """The phrases for this person and query, ranked best first; `evidence` is needed by the methods that see retrieval.

        Raises ValueError if it is missing.
        """
        if "retrieval" not in self.sees:
            return self.rank(profile, ())
        if evidence is None:
            raise ValueError(f"method {self.name!r} needs the evidence of query {query.id!r} for profile {profile.id!r}")
        return self.rank(profile, element_phrases(evidence))

    def recipe(self) -> dict[str, Json]:
        """What pins this method's material, for a fingerprint."""
        return {"method": self.name, "rule": VERSION, "tokens": TOKEN_RULE}


def summary_phrases(summary: str) -> tuple[Phrase, ...]:
    """The clauses of a summary, in order."""
    return tuple(Phrase(clause, SUMMARY) for clause in clauses(summary))


def caption_clauses(captions: Sequence[Caption]) -> tuple[Phrase, ...]:
    """The clauses of all captions, round-robin: each caption's first clause in caption order, then each one's second, and so on."""
    columns = [[Phrase(clause, caption_source(i)) for clause in clauses(caption.text)] for i, caption in enumerate(captions)]
    return _in_turn(columns)


def element_phrases(evidence: Evidence) -> tuple[Phrase, ...]:
    """The retrieved elements, in the order of the evidence; those without a token are left out."""
    return tuple(
        Phrase(tidied(element.text), element_source(element.category, element.post))
        for element in evidence.elements
        if tokens(element.text)
    )


def _in_turn(columns: Iterable[Sequence[Phrase]]) -> tuple[Phrase, ...]:
    return tuple(phrase for phrase in chain.from_iterable(zip_longest(*columns)) if phrase is not None)


def _baseline(profile: Profile, elements: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    return ()


def _persona(profile: Profile, elements: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    return summary_phrases(profile.summary_given)


def _brag(profile: Profile, elements: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    return caption_clauses(profile.captions)


def _vprag(profile: Profile, elements: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    return elements + summary_phrases(profile.summary_given)


def _combined(profile: Profile, elements: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    return _in_turn([caption_clauses(profile.captions), elements])


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("baseline", frozenset(), False, _baseline),
        Method("persona", frozenset({"summary"}), False, _persona),
        Method("brag", frozenset({"captions"}), True, _brag),
        Method("vprag", frozenset({"summary", "retrieval"}), False, _vprag),
        Method("vprag-matched", frozenset({"summary", "retrieval"}), False, _vprag, matched=True),
        Method("combined", frozenset({"captions", "retrieval"}), True, _combined),
    )
}
"""The methods by name, in the paper's order."""


def method_named(name: str) -> Method:
    """The method called `name`. Raises ConfigError with the nearest name for an unknown one."""
    if name in METHODS:
        return METHODS[name]
    raise ConfigError(f"there is no method {name!r}{did_you_mean(name.casefold(), METHODS)}.")
