"""VPTT scores of prompts (METRICS, VPTT score)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.metrics.request import ScoreRequest
from engine.metrics.vptt import SCORE_SCHEMA, VpttScore
from engine.outcome import Outcome
from engine.records import Profile
from engine.stage import Stage, Unit
from engine.stages.embedding import EmbedPrompt
from engine.stages.memory import Memory, Remember
from engine.stages.people import People


class Score(Stage[VpttScore]):
    """One row a prompt."""

    kind = "score"
    version = 1
    per = "task"
    payload = pa.schema([field.with_nullable(True) for field in SCORE_SCHEMA])

    def __init__(self, people: People, memory: Remember, embedding: EmbedPrompt, definition: VpttDefinition) -> None:
        self.inputs = (people, memory, embedding.prompt, embedding)
        self.actor = "scorer"
        self.embedding, self.definition = embedding, definition

    @property
    def name(self) -> str:
        return self.embedding.name.replace(self.embedding.kind, self.kind, 1)

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe()}

    def request(self, unit: Unit, *inputs: Any) -> Any:
        profile, memory, written, embedded = inputs
        return ScoreRequest(person_memory(unit.subject, profile, memory), written.prompt, embedded.vectors[0])

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.score(requests)
        return outcomes

    def encode(self, value: VpttScore) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> VpttScore:
        return VpttScore(**columns)


def person_memory(subject: str, profile: Profile, memory: Memory) -> PersonMemory:
    """The person as the metric sees them."""
    return PersonMemory(subject, tuple(caption.text for caption in profile.captions), memory.captions, memory.reference)
