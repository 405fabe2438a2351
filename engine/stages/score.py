"""VPTT scores of prompts: against the right person, and the same prompt against strangers (METRICS, VPTT score, Controls)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.keys import Json
from engine.metrics import held_out
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.metrics.request import ScoreRequest
from engine.metrics.scored import SCORED_SCHEMA, Scored, scored
from engine.outcome import Outcome
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages import strangers
from engine.stages.embedding import EmbedPrompt
from engine.stages.memory import Memory, Remember
from engine.stages.people import People


class Score(Stage[Scored]):
    """One row a prompt."""

    kind = "score"
    version = 3
    per = "task"
    payload = SCORED_SCHEMA

    def __init__(self, people: People, memory: Remember, embedding: EmbedPrompt, definition: VpttDefinition) -> None:
        self.people, self.memory = people, memory
        self.inputs = (people, memory, embedding.prompt, embedding)
        self.actor = "scorer"
        self.embedding, self.definition = embedding, definition

    @property
    def name(self) -> str:
        return self.embedding.name.replace(self.embedding.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.embedding.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe(), "held_out": held_out.recipe(), "strangers": strangers.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        own = (self.people, self.memory, self.embedding.prompt, self.embedding)
        compared = self.embedding.prompt.view.strangers(unit)
        others = (Read(stage, subject, optional=True) for subject in compared for stage in (self.people, self.memory))
        return (*(Read(stage, stage.row_key(unit)) for stage in own), *others)

    def request(self, unit: Unit, *inputs: Any) -> list[ScoreRequest]:
        profile, memory, written, embedded, *others = inputs
        vector = embedded.vectors[0]
        person = person_memory(unit.subject, profile, memory)
        found = stranger_memories(self.embedding.prompt.view.strangers(unit), others)
        if self.embedding.prompt.is_held_out:
            person = held_out.without(person, written.captions(), person)
            gone = len(profile.captions) - len(person.captions)
            found = [held_out.fewer(memory, gone, unit.key) for memory in found]
        return [ScoreRequest(each, written.prompt, vector) for each in (person, *found)]

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        answers = iter(actor.score([each for request in requests for each in request]))
        return [scored([next(answers) for _ in request]) for request in requests]

    def encode(self, value: Scored) -> dict[str, Any]:
        return value.columns()

    def decode(self, columns: dict[str, Any]) -> Scored:
        return Scored.of(columns)


def person_memory(subject: str, profile: Profile, memory: Memory) -> PersonMemory:
    """The person as the metric sees them."""
    return PersonMemory(subject, tuple(caption.text for caption in profile.captions), memory.captions, memory.reference)


def stranger_memories(subjects: Sequence[str], others: Sequence[Any]) -> list[PersonMemory]:
    """Strangers as the metric sees them, from their profiles and memories in turn; those who could not be embedded are left out."""
    found = zip(subjects, others[::2], others[1::2], strict=True)
    return [person_memory(subject, profile, memory) for subject, profile, memory in found if profile and memory]
