"""Step 4: each moment becomes one post, which records the elements of E that stand in it (VPTT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from engine.generation.chat import Message
from engine.keys import Json
from engine.profiles.grammar.dice import Dice
from engine.profiles.model.draft import Kept, Part, Step, listed
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.model.judging import quoted, refuse_alike, refuse_denied, refuse_echo, stands_in, text_of
from engine.profiles.model.lexicon import list_schema
from engine.profiles.model.persona import Sketch, sheet_of
from engine.records import Caption, Element

HAND = 4
"""Elements that a moment is dealt; the whole deck goes round, so each element comes to two or three posts of thirty."""
_CHARACTERS = (30, 240)
_LEAST_WORDS = 6


@dataclass(frozen=True)
class WriteCaptions(Step[tuple[Caption, ...]]):
    """A caption a moment, asked in parts of at most `together`."""

    wording: ClassVar[str] = "captions"
    key: str
    """The person's: what the hands are dealt by."""
    sketch: Sketch
    elements: tuple[Element, ...]
    scenarios: tuple[str, ...]
    own_words: tuple[str, ...]
    rejected: frozenset[str]
    together: int
    least: int

    @property
    def parts(self) -> Sequence[Part]:
        starts = range(0, len(self.scenarios), self.together)
        return [Part(f"{start:03d}", min(self.together, len(self.scenarios) - start)) for start in starts]

    @cached_property
    def hands(self) -> tuple[tuple[Element, ...], ...]:
        """The elements that each moment is dealt, from a shuffled deck that goes round."""
        deck = Dice("model hands", self.key).shuffled(self.elements)
        dealt = min(HAND, len(deck))
        return tuple(tuple(deck[(dealt * number + i) % len(deck)] for i in range(dealt)) for number in range(len(self.scenarios)))

    def enough(self, kept: Kept) -> bool:
        return len(kept) >= self.least

    def _moment(self, part: Part, slot: int) -> int:
        return int(part.name) + slot

    def messages(self, part: Part, missing: Sequence[int]) -> tuple[Message, ...]:
        moments = [
            f"{place}. {self.scenarios[number]} (words: {', '.join(element.text for element in self.hands[number])})"
            for place, number in enumerate((self._moment(part, slot) for slot in missing), start=1)
        ]
        return self.template.messages(
            self.template.fill("ask", sheet=sheet_of(self.sketch), moments="\n".join(moments), count=len(missing))
        )

    def schema(self, part: Part, missing: Sequence[int]) -> Mapping[str, Json]:
        offered = dict.fromkeys(element.text for slot in missing for element in self.hands[self._moment(part, slot)])
        post: Mapping[str, Json] = {
            "type": "object",
            "properties": {
                "uses": {"type": "array", "items": {"enum": list(offered)}, "minItems": 1, "maxItems": HAND},
                "text": {"type": "string", "minLength": _CHARACTERS[0], "maxLength": _CHARACTERS[1]},
            },
            "required": ["uses", "text"],
            "additionalProperties": False,
        }
        return list_schema("posts", post, len(missing))

    def room(self, missing: Sequence[int]) -> int:
        return 40 + 140 * len(missing)

    def pieces(self, part: Part, answer: Mapping[str, Any]) -> Sequence[object]:
        return listed(answer, "posts")

    def judge(self, part: Part, slot: int, piece: object, kept: Kept) -> Caption:
        if not isinstance(piece, Mapping):
            raise Rejected(Fault.SHAPE, "text")
        text = text_of(piece.get("text"), _LEAST_WORDS, _CHARACTERS[1])
        refuse_echo(text, [self.template.shown(), self.sketch.summary_given, *self.own_words])
        refuse_denied(text, self.rejected)
        refuse_alike(text, (caption.text for caption in kept.values()))
        # What the model says that it uses is a plan; what stands in the text is the record.
        standing = tuple(element for element in self.elements if stands_in(element.text, text))
        caption = Caption(text, self.scenarios[self._moment(part, slot)], standing)
        if not standing:
            raise Rejected(Fault.NO_ELEMENT, quoted(text), spare=caption)
        return caption

    def value(self, kept: Kept) -> tuple[Caption, ...]:
        return tuple(kept[part.name, slot] for part in self.parts for slot in range(part.slots) if (part.name, slot) in kept)
