"""Step 1: a persona seed becomes demographics d and two summaries that share no four words in a row (VPTT; METRICS, PA)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.generation.chat import Message
from engine.keys import Json
from engine.metrics.novelty import ngrams
from engine.profiles.grammar.demographics import AGE_BANDS
from engine.profiles.grammar.summaries import SHARED_N
from engine.profiles.model.draft import Kept, Part, Step
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.model.judging import refuse_denied, refuse_echo, text_of
from engine.profiles.model.seeds import PersonaSeed
from engine.records import Demographics
from engine.tokens import tokens

DEMOGRAPHICS, GIVEN, REFERENCE = "demographics", "given", "reference"
_SUMMARY = (40, 280)
"""Characters of a summary, at least and at most."""
_FIELD = 48
_INTERESTS = 5
_LEAST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Sketch:
    """Step 1's result."""

    demographics: Demographics
    summary_given: str
    summary_ref: str


@dataclass(frozen=True, slots=True)
class Describe(Step[Sketch]):
    """Demographics are asked for only where the seed does not have them."""

    wording: ClassVar[str] = "persona"
    seed: PersonaSeed

    @property
    def parts(self) -> Sequence[Part]:
        known = self.seed.demographics is not None
        return [Part(GIVEN), Part(REFERENCE)] if known else [Part(DEMOGRAPHICS), Part(GIVEN), Part(REFERENCE)]

    def messages(self, part: Part, missing: Sequence[int]) -> tuple[Message, ...]:
        return self.template.messages(self.template.fill(f"{part.name} ask", seed=self.seed.text), f"{part.name} example")

    def schema(self, part: Part, missing: Sequence[int]) -> Mapping[str, Json]:
        return _DEMOGRAPHICS if part.name == DEMOGRAPHICS else _ONE_SUMMARY

    def room(self, missing: Sequence[int]) -> int:
        return 256

    def pieces(self, part: Part, answer: Mapping[str, Any]) -> Sequence[object]:
        if part.name == DEMOGRAPHICS:
            return [answer]
        if "summary" not in answer:
            raise Rejected(Fault.SHAPE, "summary")
        return [answer["summary"]]

    def judge(self, part: Part, slot: int, piece: object, kept: Kept) -> Demographics | str:
        if part.name == DEMOGRAPHICS:
            assert isinstance(piece, Mapping)
            return self._demographics(piece)
        text = text_of(piece, _LEAST_WORDS, _SUMMARY[1])
        refuse_echo(text, [self.template.shown(f"{part.name} example")])
        refuse_denied(text, self.seed.rejected)
        other = kept.get((GIVEN if part.name == REFERENCE else REFERENCE, 0), "")
        if shared := sorted(ngrams(tokens(text), SHARED_N) & ngrams(tokens(other), SHARED_N)):
            raise Rejected(Fault.SHARED_WORDS, " ".join(shared[0]))
        return text

    def _demographics(self, answer: Mapping[str, Any]) -> Demographics:
        fields: dict[str, str] = {}
        for name in _FIELDS:
            value = answer.get(name)
            if not isinstance(value, str):
                raise Rejected(Fault.SHAPE, name)
            if len(value) >= _FIELD:
                raise Rejected(Fault.CUT_OFF, value)
            fields[name] = " ".join(value.split())
        if fields["age_band"] not in ("", *AGE_BANDS):
            raise Rejected(Fault.SHAPE, "age_band")
        raw = answer.get("interests")
        if not isinstance(raw, list):
            raise Rejected(Fault.SHAPE, "interests")
        interests = [text_of(each, 1, _FIELD) for each in raw[:_INTERESTS]]
        distinct = {" ".join(tokens(each)): each for each in interests}
        if len(distinct) < len(interests):
            raise Rejected(Fault.REPEATED, interests[-1])
        for each in (fields["occupation"], *interests):
            refuse_denied(each, self.seed.rejected)
        return Demographics(**fields, interests=tuple(interests))

    def value(self, kept: Kept) -> Sketch:
        demographics = self.seed.demographics or kept[DEMOGRAPHICS, 0]
        return Sketch(demographics, kept[GIVEN, 0], kept[REFERENCE, 0])


_FIELDS = ("age_band", "region", "culture", "occupation")
_TEXT: Mapping[str, Json] = {"type": "string", "maxLength": _FIELD}
_DEMOGRAPHICS: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "age_band": {"enum": ["", *AGE_BANDS]},
        **dict.fromkeys(_FIELDS[1:], _TEXT),
        "interests": {"type": "array", "items": {**_TEXT, "minLength": 3}, "minItems": 1, "maxItems": _INTERESTS},
    },
    "required": [*_FIELDS, "interests"],
    "additionalProperties": False,
}
_ONE_SUMMARY: Mapping[str, Json] = {
    "type": "object",
    "properties": {"summary": {"type": "string", "minLength": _SUMMARY[0], "maxLength": _SUMMARY[1]}},
    "required": ["summary"],
    "additionalProperties": False,
}


def sheet_of(sketch: Sketch) -> str:
    """What the later steps are told of a person: d and the summary that methods see, never the reference."""
    d = sketch.demographics
    facts = {"Age": d.age_band, "Region": d.region, "Culture": d.culture, "Work": d.occupation, "Interests": ", ".join(d.interests)}
    return "\n".join([*(f"{name}: {fact}" for name, fact in facts.items() if fact), f"Summary: {sketch.summary_given}"])
