"""The Turing test as stages: the held-out post against what a method made for its moment, and, for sensitivity, against a stranger's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from engine.errors import InputError
from engine.judging.candidates import Candidate
from engine.judging.held_post import RULE, held_post, hidden_posts, nearest_post
from engine.keys import Json
from engine.records import Profile
from engine.stage import Per, Read, Unit
from engine.stages import strangers
from engine.stages.judging import Both, JudgedBy, PairStage, bounded
from engine.stages.people import People
from engine.stages.prompt import Prompt


class TuringStage(PairStage):
    """`a` is the person's own held-out post, `b` what is not theirs."""

    per: Per = "person"

    @abstractmethod
    def other(self, unit: Unit, inputs: tuple[Any, ...]) -> Candidate:
        """`b`. Raises InputError where there is none."""

    def parameters(self) -> Mapping[str, Json]:
        return {**self.by.recipe(), "held_post": RULE}

    def candidates(self, unit: Unit, inputs: tuple[Any, ...]) -> tuple[Candidate, Candidate]:
        profile: Profile = inputs[0]
        return Candidate(profile.captions[held_post(unit.subject, profile)].text), self.other(unit, inputs)

    def request(self, unit: Unit, *inputs: Any) -> Both:
        profile: Profile = inputs[0]
        return self.in_orders(unit, profile, self.candidates(unit, inputs), hidden=hidden_posts(unit.subject, profile))


class Fool(TuringStage):
    """Against what a method made for the held-out post's moment, which it did not see."""

    kind: ClassVar[str] = "turing"

    def __init__(self, people: People, prompt: Prompt, by: JudgedBy) -> None:
        self.people, self.prompt, self.by = people, prompt, by
        self.inputs = (people, prompt)
        self.actor = by.actor

    @property
    def name(self) -> str:
        return bounded(f"{self.kind}-{self.by.name}-{self.prompt.name.removeprefix(self.prompt.kind + '-')}")

    def other(self, unit: Unit, inputs: tuple[Any, ...]) -> Candidate:
        return Candidate(inputs[1].prompt)


class Sense(TuringStage):
    """Against a stranger's post of the most similar moment: a judge that cannot tell these apart says nothing about methods."""

    kind: ClassVar[str] = "turing-sense"

    def __init__(self, people: People, by: JudgedBy) -> None:
        self.people, self.by = people, by
        self.inputs = (people,)
        self.actor = by.actor

    @property
    def name(self) -> str:
        return bounded(f"{self.kind}-{self.by.name}")

    def takes(self, unit: Unit) -> bool:
        return bool(unit.strangers)

    def parameters(self) -> Mapping[str, Json]:
        return {**super().parameters(), "strangers": strangers.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.people, unit.subject), *(Read(self.people, key, optional=True) for key in unit.strangers))

    def other(self, unit: Unit, inputs: tuple[Any, ...]) -> Candidate:
        profile, *others = inputs
        scenario = profile.captions[held_post(unit.subject, profile)].scenario
        found = [(each, near) for each in others if each and (near := nearest_post(scenario, each))]
        if not found:
            raise InputError("no stranger of this shard has a post.", field="captions", code="no-stranger-post")
        stranger, near = max(found, key=lambda pair: pair[1].alike)
        return Candidate(stranger.captions[near.caption].text)
