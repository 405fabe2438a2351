"""Step 2: d becomes atomic visual words by category, the person's lexicon E (VPTT)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.generation.chat import Message
from engine.keys import Json
from engine.profiles.model.draft import Kept, Part, Step, listed
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.model.judging import quoted, refuse_denied, refuse_echo, text_of
from engine.profiles.model.persona import Sketch, sheet_of
from engine.records import CATEGORIES, Element
from engine.tokens import tokens

LONGEST = 6
"""Tokens of an element at most: the band of `engine.profiles.quality`."""
_CHARACTERS = (3, 40)


@dataclass(frozen=True, slots=True)
class ListElements(Step[tuple[Element, ...]]):
    """`each` elements a category, a part a category. With at least `least` of them in all the person goes on."""

    wording: ClassVar[str] = "lexicon"
    sketch: Sketch
    rejected: frozenset[str]
    each: int
    least: int

    @property
    def parts(self) -> Sequence[Part]:
        return [Part(category, self.each) for category in CATEGORIES]

    def enough(self, kept: Kept) -> bool:
        return len(kept) >= self.least

    def messages(self, part: Part, missing: Sequence[int]) -> tuple[Message, ...]:
        kind = self.template.sections[part.name]
        ask = self.template.fill("ask", sheet=sheet_of(self.sketch), category=part.name, kind=kind, count=len(missing))
        return self.template.messages(ask)

    def schema(self, part: Part, missing: Sequence[int]) -> Mapping[str, Json]:
        item: Mapping[str, Json] = {"type": "string", "minLength": _CHARACTERS[0], "maxLength": _CHARACTERS[1]}
        return list_schema("words", item, len(missing))

    def room(self, missing: Sequence[int]) -> int:
        return 40 + 24 * len(missing)

    def pieces(self, part: Part, answer: Mapping[str, Any]) -> Sequence[object]:
        return listed(answer, "words")

    def judge(self, part: Part, slot: int, piece: object, kept: Kept) -> Element:
        text = text_of(piece, 1, _CHARACTERS[1]).rstrip(".,;")
        words = tokens(text)
        if len(words) > LONGEST:
            raise Rejected(Fault.TOO_LONG, quoted(text))
        if len(set(words)) < len(words):
            raise Rejected(Fault.LOOPS, quoted(text))
        if any(words == tokens(element.text) for element in kept.values()):
            raise Rejected(Fault.REPEATED, quoted(text))
        refuse_echo(text, [part.name, *self._shown()], run=LONGEST)
        refuse_denied(text, self.rejected)
        return Element(part.name, text)

    def _shown(self) -> list[str]:
        words: list[str] = json.loads(self.template.shown())["words"]
        return words

    def value(self, kept: Kept) -> tuple[Element, ...]:
        return tuple(kept[part.name, slot] for part in self.parts for slot in range(part.slots) if (part.name, slot) in kept)


def list_schema(name: str, item: Mapping[str, Json], count: int) -> Mapping[str, Json]:
    """The schema of {name: [count items]}."""
    items: Mapping[str, Json] = {"type": "array", "items": item, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {name: items}, "required": [name], "additionalProperties": False}
