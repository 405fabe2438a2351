"""Judges' questions as stages: a rating of one output, and a pair of outputs for one request of one person."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from engine.judge_config import Orders
from engine.judging.asking import VERSION as MESSAGES
from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.judging.reading import VERSION as READING
from engine.judging.rubric import Rubric
from engine.judging.subject import Sees, subject_of
from engine.judging.verdicts import AorB, Asked, Judged, Preferred, Rating, Verdicts
from engine.keys import Json, content_key, seed_of
from engine.outcome import Failed, Outcome, together
from engine.records import Profile
from engine.stage import Per, Read, Stage, Unit
from engine.stages.outputs import Output
from engine.stages.people import People

V = TypeVar("V")

Both = tuple[JudgeRequest, ...]
"""The orders in which one pair is asked."""

NAME_LIMIT = 90
"""Characters of a stage's name: it stands in file names beside a digest."""

SWAP_RULE = "swap-1"
SHARE_RULE = "pair-share-1"

_ASKED = pa.list_(pa.struct([(name, pa.float64() if name == "confidence" else pa.string()) for name in (f.name for f in fields(Asked))]))
_COUNTS = (("input_tokens", pa.int64()), ("output_tokens", pa.int64()))


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """A judge: its name, what pins its verdicts, what it asks, and what it is shown of a person."""

    name: str
    id: str
    rubric: Rubric
    sees: Sees
    posts: int

    @property
    def actor(self) -> str:
        """Its actor."""
        return f"judge:{self.name}"

    @property
    def shown(self) -> int:
        """Pictures, or descriptions of them, that stand for the person's posts."""
        return 0 if self.sees == "persona" else self.posts

    def recipe(self) -> dict[str, Json]:
        """For fingerprints."""
        texts = {"messages": MESSAGES, "reading": READING, "rubric": self.rubric.sha256}
        return {"judge": self.id, "sees": self.sees, "posts": self.posts, **texts}


class JudgeStage(Stage[V]):
    """What all questions share: who is asked, and how a person is shown."""

    version = 1
    per: Per = "task"
    by: JudgedBy
    people: People

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        """All orders of all units in one call; a unit is answered if each of its orders is."""
        judged = iter(actor.judge([each for request in requests for each in request]))
        return [together([next(judged) for _ in request]) for request in requests]

    def question(self, unit: Unit, profile: Profile, candidates: Sequence[Candidate], order: str, **shown: Any) -> JudgeRequest:
        """One question about a person, with a key and a seed of its own."""
        subject = subject_of(profile, self.by.sees, self.by.posts, shown.pop("hidden", ()))
        made_of = [self.id, unit.key, order]
        seed, prefix = seed_of(*made_of), f"{self.by.name} {unit.subject}"
        return JudgeRequest(content_key(made_of), self.by.rubric, subject, tuple(candidates), seed, prefix=prefix, **shown)


class Rate(JudgeStage[Rating]):
    """An output's rating from 0 to 5: one row each."""

    kind = "rating"
    payload = pa.schema(
        [("score", pa.float64()), ("words", pa.int32()), *((name, pa.string()) for name in ("reason", "reply", "model")), *_COUNTS]
    )

    def __init__(self, people: People, output: Output, by: JudgedBy) -> None:
        self.people, self.output, self.by = people, output, by
        self.inputs = (people, *output.inputs)
        self.actor = by.actor

    @property
    def name(self) -> str:
        return bounded(f"{self.kind}-{self.by.name}-{self.output.name}")

    def takes(self, unit: Unit) -> bool:
        return self.output.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return self.by.recipe()

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.people, unit.subject), *self.output.reads(unit), *self.output.reads_of_person(unit))

    def request(self, unit: Unit, *inputs: Any) -> Both:
        profile, shown, *own = inputs
        assert unit.query is not None
        question = self.question(
            unit,
            profile,
            [self.output.candidate(shown)],
            "",
            request=unit.query.text,
            edited=unit.query.source_caption,
            hidden=self.output.hidden(shown, profile),
        )
        return (self.output.with_person(question, own, self.by.shown),)

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Rating | Failed:
        (judged,) = reply
        told = judged.model, judged.input_tokens, judged.output_tokens
        return Rating(float(judged.decision), self.output.candidate(inputs[1]).words, judged.reason, judged.reply, *told)

    def encode(self, value: Rating) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Rating:
        return Rating(**columns)


class PairStage(JudgeStage[Verdicts]):
    """A judge's verdicts on two candidates, `a` and `b`: one row, whatever orders are asked."""

    payload = pa.schema(
        [("asked", _ASKED), ("words_a", pa.int32()), ("words_b", pa.int32()), ("model", pa.string()), *_COUNTS],
    )

    @abstractmethod
    def candidates(self, unit: Unit, inputs: tuple[Any, ...]) -> tuple[Candidate, Candidate]:
        """`a` and `b` of a unit, from the values of what it reads."""

    def firsts(self, unit: Unit) -> tuple[AorB, ...]:
        """Who is shown first in each order that is asked."""
        return ("a", "b")

    def in_orders(self, unit: Unit, profile: Profile, pair: tuple[Candidate, Candidate], **shown: Any) -> Both:
        """The pair in each order."""
        return tuple(self.question(unit, profile, pair if first == "a" else pair[::-1], first, **shown) for first in self.firsts(unit))

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Verdicts | Failed:
        a, b = self.candidates(unit, inputs)
        asked = tuple(_asked(first, judged) for first, judged in zip(self.firsts(unit), reply, strict=True))
        tokens = (sum(judged.input_tokens for judged in reply), sum(judged.output_tokens for judged in reply))
        return Verdicts(asked, a.words, b.words, reply[0].model, *tokens)

    def encode(self, value: Verdicts) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Verdicts:
        asked = tuple(Asked(**each) for each in columns["asked"])
        return Verdicts(**{**columns, "asked": asked})


class Compare(PairStage):
    """Two outputs for one request of one person."""

    kind: ClassVar[str] = "pair"

    def __init__(self, people: People, a: Output, b: Output, by: JudgedBy, orders: Orders, share: float) -> None:
        self.people, self.a, self.b, self.by, self.orders, self.share = people, a, b, by, orders, share
        self.inputs = (people, *dict.fromkeys((*a.inputs, *b.inputs)))
        self.actor = by.actor

    @property
    def name(self) -> str:
        return bounded(f"{self.kind}-{self.by.name}-{self.a.label}-{self.b.name}")

    @property
    def _between(self) -> str:
        """What draws orders and shares with a unit's key: equal for all judges."""
        return f"{self.a.name} {self.b.name}"

    def firsts(self, unit: Unit) -> tuple[AorB, ...]:
        if self.orders == "both":
            return ("a", "b")
        return ("a",) if seed_of(SWAP_RULE, self._between, unit.key) % 2 else ("b",)

    def takes(self, unit: Unit) -> bool:
        drawn = self.share >= 1 or seed_of(SHARE_RULE, self._between, unit.key) < self.share * 2**63
        return drawn and self.a.takes(unit) and self.b.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        # Both outputs may read the same stages, so inputs alone do not tell them apart.
        between = [self.a.name, self.b.name]
        return {**self.by.recipe(), "between": between, "orders": self.orders, "swap": SWAP_RULE, "share": self.share}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.people, unit.subject), *self.a.reads(unit), *self.b.reads(unit), *self.a.reads_of_person(unit))

    def candidates(self, unit: Unit, inputs: tuple[Any, ...]) -> tuple[Candidate, Candidate]:
        return self.a.candidate(inputs[1]), self.b.candidate(inputs[2])

    def request(self, unit: Unit, *inputs: Any) -> Both:
        profile, own = inputs[0], inputs[3:]
        assert unit.query is not None
        hidden = {*self.a.hidden(inputs[1], profile), *self.b.hidden(inputs[2], profile)}
        shown = {"request": unit.query.text, "edited": unit.query.source_caption, "hidden": hidden}
        asked = self.in_orders(unit, profile, self.candidates(unit, inputs), **shown)
        return tuple(self.a.with_person(each, own, self.by.shown) for each in asked)


def bounded(name: str) -> str:
    """A stage's name, its end replaced by a digest where it would be too long for a file's."""
    return name if len(name) <= NAME_LIMIT else f"{name[: NAME_LIMIT - 9]}-{content_key(name)[:8]}"


def _asked(first: AorB, judged: Judged) -> Asked:
    preferred: dict[str, Preferred] = {"A": first, "B": "b" if first == "a" else "a"}
    return Asked(first, preferred.get(str(judged.decision), "tie"), judged.confidence, judged.reason, judged.reply)
