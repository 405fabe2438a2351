"""The same score in a second embedding space, which no method retrieves or writes with (METRICS, A second space)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.keys import Json
from engine.metrics import held_out
from engine.metrics.definition import VpttDefinition
from engine.metrics.scored import SCORED_SCHEMA, Scored
from engine.metrics.second import PersonTexts, TextScoreRequest
from engine.outcome import Outcome
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages import strangers
from engine.stages.people import People
from engine.stages.prompt import Prompt


class SecondScore(Stage[Scored]):
    """One row a prompt. Embeds and scores in one go: nothing else needs the vectors."""

    kind = "second"
    version = 2
    per = "task"
    payload = SCORED_SCHEMA

    def __init__(self, people: People, prompt: Prompt, definition: VpttDefinition) -> None:
        self.people, self.prompt, self.definition = people, prompt, definition
        self.inputs = (people, prompt)
        self.actor = "second"

    @property
    def name(self) -> str:
        return self.prompt.name.replace(self.prompt.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.prompt.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe(), "held_out": held_out.recipe(), "strangers": strangers.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        own = (Read(self.people, unit.subject), Read(self.prompt, self.prompt.row_key(unit)))
        return (*own, *(Read(self.people, subject, optional=True) for subject in self.prompt.view.strangers(unit)))

    def request(self, unit: Unit, *inputs: Any) -> TextScoreRequest:
        profile, written, *others = inputs
        people = [(unit.subject, profile), *zip(self.prompt.view.strangers(unit), others, strict=True)]
        gone = written.captions() if self.prompt.is_held_out else frozenset[str]()
        return TextScoreRequest(unit.key, written.prompt, tuple(_texts(subject, found) for subject, found in people if found), gone)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.score(requests)
        return outcomes

    def encode(self, value: Scored) -> dict[str, Any]:
        return value.columns()

    def decode(self, columns: dict[str, Any]) -> Scored:
        return Scored.of(columns)


def _texts(subject: str, profile: Profile) -> PersonTexts:
    return PersonTexts(subject, tuple(caption.text for caption in profile.captions), profile.summary_ref)
