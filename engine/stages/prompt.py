"""A method's prompt for one person and query, by a writer.

One (method, writer, budget) is one stage, so adding one recomputes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.outcome import Outcome
from engine.prompting.budget import Budget
from engine.prompting.methods import Method
from engine.prompting.phrases import Phrase
from engine.prompting.writing import Written, request_for
from engine.stage import Stage, Unit
from engine.stages.people import People
from engine.stages.queries import Draw
from engine.stages.retrieve import Retrieve


class WritePrompt(Stage[Written]):
    """One row a person and query."""

    kind = "prompt"
    version = 1
    per = "task"
    payload = pa.schema(
        [
            ("prompt", pa.string()),
            ("words", pa.int32()),
            ("pieces", pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))),
            ("cut", pa.int32()),
        ]
    )

    def __init__(
        self, people: People, evidence: Retrieve, draw: Draw, method: Method, budget: Budget, *, writer: str, writer_id: str
    ) -> None:
        self.retrieves = "retrieval" in method.sees
        self.inputs = (people, evidence) if self.retrieves else (people,)
        self.draw, self.method, self.budget = draw, method, budget
        self.writer, self.writer_id = writer, writer_id
        self.actor = f"writer:{writer}"

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.method.name}-{self.writer}-{self.budget.name}"

    def parameters(self) -> Mapping[str, Json]:
        return {
            "draw": self.draw.recipe(),
            "method": self.method.recipe(),
            "budget": self.budget.recipe(),
            "writer": self.writer_id,
        }

    def request(self, unit: Unit, *inputs: Any) -> Any:
        assert unit.query is not None
        profile, evidence = inputs if self.retrieves else (inputs[0], None)
        return request_for(unit.key, self.method, profile, unit.query, evidence, self.budget)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.write(requests)
        return outcomes

    def encode(self, value: Written) -> dict[str, Any]:
        return {"prompt": value.prompt, "words": value.words, "pieces": [asdict(piece) for piece in value.pieces], "cut": value.cut}

    def decode(self, columns: dict[str, Any]) -> Written:
        return Written(columns["prompt"], columns["words"], tuple(Phrase(**piece) for piece in columns["pieces"]), columns["cut"])
