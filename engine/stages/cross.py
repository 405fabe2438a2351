"""Cross-fitted scores of a method's prompts: made from one half of the captions, scored on the other (METRICS, Cross-fitted)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.metrics import held_out
from engine.metrics.cross import CROSS_FIGURES, CROSS_RULE, CrossFitted, Fold
from engine.metrics.definition import VpttDefinition
from engine.outcome import Outcome
from engine.prompting.view import OTHER, View, half_of
from engine.stage import Half, Read, Stage, Unit
from engine.stages.embedding import EmbedPrompt
from engine.stages.memory import Remember
from engine.stages.people import People
from engine.stages.score import person_memory

CROSS, MATCHED = "cross_", "matched_"
HALVES: tuple[Half, ...] = ("a", "b")


class CrossFit(Stage[CrossFitted]):
    """One row a person and query, for a share of the people; `embedding` is of prompts by half, or of prompts that see no caption."""

    kind = "cross"
    version = 2
    per = "task"
    payload = pa.schema([pa.field(begin + name, pa.float64()) for begin in (CROSS, MATCHED) for name in CROSS_FIGURES])

    def __init__(self, people: People, memory: Remember, embedding: EmbedPrompt, definition: VpttDefinition, share: float) -> None:
        self.people, self.memory = people, memory
        self.inputs = (people, memory, embedding.prompt, embedding)
        self.actor = "scorer"
        self.embedding, self.definition = embedding, definition
        self.view = View(halves=True, share=share)

    @property
    def name(self) -> str:
        prompt = self.embedding.prompt
        return f"{self.kind}-{prompt.label}-{prompt.writer}-{prompt.budget.name}"

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe(), "rule": CROSS_RULE, "held_out": held_out.recipe(), "view": self.view.recipe()}

    def takes(self, unit: Unit) -> bool:
        return self.view.takes(unit) and self.embedding.prompt.view.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        prompts = (Read(stage, stage.row_key(unit.of_half(h))) for h in HALVES for stage in (self.embedding.prompt, self.embedding))
        return (Read(self.people, unit.subject), Read(self.memory, unit.subject), *prompts)

    def request(self, unit: Unit, *inputs: Any) -> list[Fold]:
        profile, memory, *prompts = inputs
        person = person_memory(unit.subject, profile, memory)
        halves = {h: person.only(half_of(unit.subject, len(profile.captions), h), h) for h in HALVES}
        folds = []
        for h, written, embedded in zip(HALVES, prompts[::2], prompts[1::2], strict=True):
            seen, vector = halves[h], embedded.vectors[0]
            held = held_out.without(halves[OTHER[h]], seen.captions, seen)  # what was seen must not be scored on, not even a twin of it
            if self.embedding.prompt.is_held_out:
                seen = held_out.without(seen, written.captions(), seen)
            folds.append(Fold(seen, held, written.prompt, vector))
        return folds

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.cross(requests)
        return outcomes

    def encode(self, value: CrossFitted) -> dict[str, Any]:
        columns = {CROSS: value.cross, MATCHED: value.matched}
        return {begin + name: figure for begin, row in columns.items() for name, figure in zip(CROSS_FIGURES, row, strict=True)}

    def decode(self, columns: dict[str, Any]) -> CrossFitted:
        return CrossFitted(*(tuple(columns[begin + name] for name in CROSS_FIGURES) for begin in (CROSS, MATCHED)))
