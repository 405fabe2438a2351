"""Prompts for a person's query: a method's by a writer, a control's, or anyone's own from a file.

One (method, writer, budget) is one stage, so adding one recomputes nothing else. `halves` of it are stages of their own, in which the
method sees one half of the captions at a time; a method that sees none has no use for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

import pyarrow as pa

from engine.keys import Json
from engine.outcome import Answered, Failed, Outcome
from engine.prompting import controls, unrelated
from engine.prompting.budget import Budget
from engine.prompting.methods import Method
from engine.prompting.phrases import Phrase
from engine.prompting.view import WHOLE, View
from engine.prompting.writing import Written, request_for
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages.people import People
from engine.stages.queries import Draw
from engine.stages.retrieve import Retrieve
from engine.writer_config import TEMPLATE


class Prompt(Stage[Written]):
    """One row a person and query, or one for each half of the captions."""

    kind = "prompt"
    version = 1
    payload = pa.schema(
        [
            ("prompt", pa.string()),
            ("words", pa.int32()),
            ("pieces", pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))),
            ("cut", pa.int32()),
        ]
    )
    label: str
    """What the method is called in every table."""
    writer: str
    writer_id: str
    budget: Budget
    view: View
    """Whose captions it sees, and how many; all stages set it by `_see`."""
    is_extractive: bool = False
    """Whether it pastes the person's own captions: such prompts are labelled and not judged."""
    retrieved: Retrieve | None = None
    """The retrieval that it reads."""
    is_held_out: ClassVar[bool] = False
    """Whether the prompt's pieces are the person's own captions, which then leave what it is scored against."""

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.label}-{self.writer}-{self.budget.name}" + replace(self.view, stranger=False).suffix

    def _see(self, view: View) -> None:
        self.view = view
        self.per = view.per

    def takes(self, unit: Unit) -> bool:
        return self.view.takes(unit)

    def halves(self, share: float) -> Prompt:
        """The same with one half of the captions at a time for a share of the people; itself if captions do not matter to it."""
        return self

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        """Of prompts that need no writer: the request is the prompt."""
        return [Answered(request) for request in requests]

    def encode(self, value: Written) -> dict[str, Any]:
        return {"prompt": value.prompt, "words": value.words, "pieces": [asdict(piece) for piece in value.pieces], "cut": value.cut}

    def decode(self, columns: dict[str, Any]) -> Written:
        return Written(columns["prompt"], columns["words"], tuple(Phrase(**piece) for piece in columns["pieces"]), columns["cut"])


class WritePrompt(Prompt):
    """A method's prompt, by a writer."""

    version = 2

    def __init__(
        self, label: str, people: People, retrieved: Retrieve, draw: Draw, method: Method, budget: Budget, *, writer: str, writer_id: str
    ) -> None:
        self.label, self.draw, self.method, self.budget = label, draw, method, budget
        self.writer, self.writer_id = writer, writer_id
        self.people, self._retrieval = people, retrieved
        self.retrieved = retrieved if "retrieval" in method.sees else None
        self._see(retrieved.view if self._sees_captions else replace(retrieved.view, halves=False, share=1.0))
        self.inputs = (people, retrieved) if self.retrieved else (people,)
        self.is_extractive = writer == TEMPLATE and method.extractive
        self.actor = f"writer:{writer}"

    @property
    def _sees_captions(self) -> bool:
        return bool(self.method.sees & {"captions", "retrieval"})

    def halves(self, share: float) -> Prompt:
        return self.seeing(self._retrieval.view.halved(share)) if self._sees_captions else self

    def seeing(self, view: View) -> WritePrompt:
        """The same with another view."""
        by = {"writer": self.writer, "writer_id": self.writer_id}
        return type(self)(self.label, self.people, self._retrieval.seeing(view), self.draw, self.method, self.budget, **by)

    def parameters(self) -> Mapping[str, Json]:
        return {
            "draw": self.draw.recipe(),
            "method": self.method.recipe(),
            "budget": self.budget.recipe(),
            "writer": self.writer_id,
            "view": self.view.recipe(),
        }

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        retrieved = (Read(self.retrieved, self.retrieved.row_key(unit)),) if self.retrieved else ()
        return (Read(self.people, self.view.subject(unit)), *retrieved)

    def request(self, unit: Unit, *inputs: Any) -> Any:
        profile, evidence = inputs if self.retrieved else (inputs[0], None)
        asked = self.view.query(unit, profile)
        return request_for(unit.key, self.method, self.view.shown(unit, profile), asked, evidence, self.budget)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.write(requests)
        return outcomes


class OwnCaptions(Prompt):
    """The control `own`: captions of the person's as long as another method's prompt, held out of what they are scored against."""

    is_held_out = True

    def __init__(self, people: People, model: Prompt, draw: Draw, view: View = WHOLE) -> None:
        self.label, self.people, self.model, self.draw, self.budget = "own", people, model, draw, model.budget
        self._see(view)
        self.writer, self.writer_id = model.writer, model.writer_id
        self.inputs = (people, model)
        self.actor = "scorer"

    def halves(self, share: float) -> Prompt:
        return OwnCaptions(self.people, self.model, self.draw, self.view.halved(share))

    def parameters(self) -> Mapping[str, Json]:
        return {"draw": self.draw.recipe(), "rule": controls.RULE, "view": self.view.recipe()}

    def request(self, unit: Unit, *inputs: Any) -> Written | Failed:
        shown: Profile = self.view.shown(unit, inputs[0])
        if not shown.captions:
            return Failed("no-captions", "The person has no caption of their own.")
        written: Written = inputs[1]
        return controls.own_captions(shown, written.words, unit.key)


class Noise(Prompt):
    """The control `noise`: unrelated text as long as another method's prompt."""

    def __init__(self, model: Prompt, draw: Draw) -> None:
        self.label, self.draw, self.budget = "noise", draw, model.budget
        self._see(WHOLE)
        self.writer, self.writer_id = model.writer, model.writer_id
        self.inputs = (model,)
        self.actor = "scorer"

    def parameters(self) -> Mapping[str, Json]:
        return {"draw": self.draw.recipe(), "rule": controls.RULE, "text": unrelated.RULE}

    def request(self, unit: Unit, *inputs: Any) -> Written:
        return controls.noise(inputs[0].words, unit.key)


class Given(Prompt):
    """Anyone's own prompts, from a file that the driver reads: one row a person and query, Failed where the file has none."""

    def __init__(self, label: str, content: str, draw: Draw, budget: Budget, *, writer: str, writer_id: str) -> None:
        self.label, self.content, self.draw, self.budget = label, content, draw, budget
        self.writer, self.writer_id = writer, writer_id
        self._see(WHOLE)

    def parameters(self) -> Mapping[str, Json]:
        return {"draw": self.draw.recipe(), "content": self.content}
