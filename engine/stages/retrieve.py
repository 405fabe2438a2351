"""VPRAG's evidence for one person and query: posts, weights, quotas, elements. It depends on no writer, so all writers share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.errors import InputError
from engine.keys import Json
from engine.outcome import Failed, Outcome
from engine.prompting.evidence import EVIDENCE_SCHEMA, Evidence
from engine.prompting.retrieval import RetrievalSettings, retrieve
from engine.stage import Stage, Unit
from engine.stages.encoding import Texts, encode_all
from engine.stages.memory import Remember
from engine.stages.people import People
from engine.stages.queries import Draw


class Retrieve(Stage[Evidence]):
    """One row a person and query."""

    kind = "evidence"
    version = 1
    per = "task"
    payload = pa.schema([pa.field(field.name, field.type) for field in EVIDENCE_SCHEMA])

    def __init__(self, people: People, memory: Remember, draw: Draw, settings: RetrievalSettings, budget: str) -> None:
        self.inputs = (people, memory)
        self.actor = "encoder"
        self.draw, self.settings, self.budget = draw, settings, budget

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.budget}"

    def parameters(self) -> Mapping[str, Json]:
        return {"draw": self.draw.recipe(), "retrieval": self.settings.recipe()}

    def request(self, unit: Unit, *inputs: Any) -> Texts:
        assert unit.query is not None
        return (unit.query.text,)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return encode_all(actor, requests)

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Evidence | Failed:
        profile, memory = inputs
        try:
            return retrieve(profile, reply.vectors[0], memory.captions, memory.elements, self.settings)
        except InputError as error:
            return Failed(error.code, str(error))

    def encode(self, value: Evidence) -> dict[str, Any]:
        return value.to_json()

    def decode(self, columns: dict[str, Any]) -> Evidence:
        return Evidence.from_json(columns)
