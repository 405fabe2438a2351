"""Step 3: {d, E} becomes the moments that the person might share, each in one strand of their life (VPTT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.generation.chat import Message
from engine.keys import Json
from engine.profiles.model.draft import Kept, Part, Step, listed
from engine.profiles.model.judging import refuse_alike, refuse_denied, refuse_echo, text_of
from engine.profiles.model.lexicon import list_schema
from engine.profiles.model.persona import Sketch, sheet_of
from engine.records import CATEGORIES, Element

_CHARACTERS = (12, 120)
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class ListScenarios(Step[tuple[str, ...]]):
    """`count` moments in parts of at most `together`, each part about one strand: work, culture, an interest or everyday life."""

    wording: ClassVar[str] = "scenarios"
    sketch: Sketch
    elements: tuple[Element, ...]
    rejected: frozenset[str]
    count: int
    together: int
    least: int

    @property
    def parts(self) -> Sequence[Part]:
        starts = range(0, self.count, self.together)
        return [Part(f"{start:03d}", min(self.together, self.count - start)) for start in starts]

    def strand(self, part: Part) -> str:
        """What a part's moments are about; strands come round again with another hour or place."""
        d = self.sketch.demographics
        known = [d.occupation, f"{d.culture} customs" if d.culture else "", *d.interests]
        strands = [*(each for each in known if each), "everyday life"]
        number = int(part.name) // self.together
        settings = [line.strip() for line in self.template.sections["settings"].splitlines()]
        return f"{strands[number % len(strands)]}, {settings[number % len(settings)]}"

    def enough(self, kept: Kept) -> bool:
        return len(kept) >= self.least

    def messages(self, part: Part, missing: Sequence[int]) -> tuple[Message, ...]:
        told = self.template.fill(
            "ask", sheet=sheet_of(self.sketch), words=lexicon_of(self.elements), strand=self.strand(part), count=len(missing)
        )
        return self.template.messages(told)

    def schema(self, part: Part, missing: Sequence[int]) -> Mapping[str, Json]:
        item: Mapping[str, Json] = {"type": "string", "minLength": _CHARACTERS[0], "maxLength": _CHARACTERS[1]}
        return list_schema("moments", item, len(missing))

    def room(self, missing: Sequence[int]) -> int:
        return 40 + 60 * len(missing)

    def pieces(self, part: Part, answer: Mapping[str, Any]) -> Sequence[object]:
        return listed(answer, "moments")

    def judge(self, part: Part, slot: int, piece: object, kept: Kept) -> str:
        text = text_of(piece, _LEAST_WORDS, _CHARACTERS[1])
        refuse_echo(text, [self.template.shown(), self.sketch.summary_given])
        refuse_denied(text, self.rejected)
        refuse_alike(text, kept.values())
        return text

    def value(self, kept: Kept) -> tuple[str, ...]:
        return tuple(kept[part.name, slot] for part in self.parts for slot in range(part.slots) if (part.name, slot) in kept)


def lexicon_of(elements: Sequence[Element]) -> str:
    """E as the model is told of it: a line a category."""
    by_category = {category: [each.text for each in elements if each.category == category] for category in CATEGORIES}
    return "\n".join(f"{category}: {', '.join(texts)}" for category, texts in by_category.items() if texts)
