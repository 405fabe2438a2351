"""VPRAG's evidence for one person and query: posts, weights, quotas, elements. It depends on no writer, so all writers share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.errors import InputError
from engine.keys import Json
from engine.outcome import Answered, Failed, Outcome
from engine.prompting import controls
from engine.prompting.evidence import EVIDENCE_SCHEMA, Evidence
from engine.prompting.retrieval import RetrievalSettings, retrieve
from engine.prompting.view import WHOLE, View, element_rows
from engine.stage import Read, Stage, Unit
from engine.stages.encoding import Texts, encode_all
from engine.stages.memory import Remember
from engine.stages.people import People
from engine.stages.queries import Draw


class Retrieve(Stage[Evidence]):
    """One row a person and query, or one for each half of the captions. `name` tells its settings from those of its siblings."""

    kind = "evidence"
    version = 2
    payload = pa.schema([pa.field(field.name, field.type) for field in EVIDENCE_SCHEMA])

    def __init__(self, label: str, people: People, memory: Remember, draw: Draw, settings: RetrievalSettings, view: View = WHOLE) -> None:
        self.people, self.memory = people, memory
        self.inputs = (people, memory)
        self.actor = "encoder"
        self.label, self.draw, self.settings, self.view = label, draw, settings, view
        self.per = view.per

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.label}{self.view.suffix}"

    def seeing(self, view: View) -> Retrieve:
        """The same with another view."""
        return Retrieve(self.label, self.people, self.memory, self.draw, self.settings, view)

    def takes(self, unit: Unit) -> bool:
        return self.view.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {"draw": self.draw.recipe(), "retrieval": self.settings.recipe(), "view": self.view.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        subject = self.view.subject(unit)
        return (Read(self.people, subject), Read(self.memory, subject))

    def request(self, unit: Unit, *inputs: Any) -> Texts:
        return (self.view.query(unit, inputs[0]).text,)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return encode_all(actor, requests)

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Evidence | Failed:
        profile, memory = inputs
        captions, elements = memory.captions, memory.elements
        try:
            shown = self.view.shown(unit, profile)
            if (rows := self.view.rows(unit, profile)) is not None:
                captions = captions[rows]
                elements = elements[element_rows(profile, shown)]
            return retrieve(shown, reply.vectors[0], captions, elements, self.settings)
        except InputError as error:
            return Failed(error.code, str(error))

    def encode(self, value: Evidence) -> dict[str, Any]:
        return value.to_json()

    def decode(self, columns: dict[str, Any]) -> Evidence:
        return Evidence.from_json(columns)


class RandomElements(Retrieve):
    """The control `random`: as many elements as another retrieval found, drawn from all of the person's (METRICS, Controls)."""

    kind = "random"
    version = 1

    def __init__(self, retrieved: Retrieve) -> None:
        super().__init__(retrieved.label, retrieved.people, retrieved.memory, retrieved.draw, retrieved.settings, retrieved.view)
        self.retrieved = retrieved
        self.inputs = (retrieved.people, retrieved)
        self.actor = "scorer"

    def seeing(self, view: View) -> Retrieve:
        return RandomElements(self.retrieved.seeing(view))

    def parameters(self) -> Mapping[str, Json]:
        return {"rule": controls.RULE}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.people, self.view.subject(unit)), Read(self.retrieved, self.retrieved.row_key(unit)))

    def request(self, unit: Unit, *inputs: Any) -> Any:
        profile, evidence = inputs
        return controls.random_evidence(self.view.shown(unit, profile), evidence, unit.key)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [Answered(request) for request in requests]

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Evidence | Failed:
        evidence: Evidence = reply
        return evidence
