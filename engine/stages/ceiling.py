"""How high a person's score can honestly be: each own caption scored with itself removed from C (METRICS, leave-one-out ceiling)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from engine.errors import InputError
from engine.keys import Json
from engine.metrics.ceiling import Ceiling, ceiling
from engine.metrics.definition import VpttDefinition
from engine.metrics.vptt import SCORE_SCHEMA
from engine.outcome import Answered, Failed, Outcome
from engine.stage import Stage, Unit
from engine.stages.memory import Remember
from engine.stages.people import People
from engine.stages.score import person_memory


class Ceilings(Stage[Ceiling]):
    """One row a person."""

    kind = "ceiling"
    version = 2
    per = "person"
    payload = pa.schema([*(field.with_nullable(True) for field in SCORE_SCHEMA), pa.field("captions", pa.int32())])

    def __init__(self, people: People, memory: Remember, definition: VpttDefinition) -> None:
        self.inputs = (people, memory)
        self.actor = "scorer"
        self.definition = definition

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe()}

    def request(self, unit: Unit, *inputs: Any) -> Any:
        return person_memory(unit.subject, *inputs)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [_ceiling(request, actor.definition) for request in requests]

    def encode(self, value: Ceiling) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Ceiling:
        return Ceiling(**columns)


def _ceiling(memory: Any, definition: VpttDefinition) -> Outcome[Ceiling]:
    try:
        return Answered(ceiling(memory, definition))
    except InputError as error:
        return Failed(error.code, str(error))
