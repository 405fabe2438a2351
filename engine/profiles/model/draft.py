"""One step for one person: what is asked in parts, what of the answers is kept, what is asked again, and how it ends.

All parts are asked at once; then only what is still missing, with the validator's complaint, a bounded number of rounds.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from engine.generation.chat import Message, Reply
from engine.generation.refusals import is_refusal
from engine.keys import Json
from engine.outcome import Answered, Failed, Outcome, Refused, Unparsed
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.model.wording import Template, template

T = TypeVar("T")

REPAIRS = 2
"""Rounds after the first, by default."""
TOLD = 4
"""Complaints that one repair tells."""

Kept: TypeAlias = "dict[tuple[str, int], Any]"
"""(part, slot) -> what was kept for it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked for: `slots` pieces in one answer."""

    name: str
    slots: int = 1


class Step(ABC, Generic[T]):
    """A step's rules for one person."""

    wording: ClassVar[str]
    """The template's name."""

    @property
    def template(self) -> Template:
        """The step's wording."""
        return template(self.wording)

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """What is asked for, in the order in which pieces are judged."""

    def enough(self, kept: Kept) -> bool:
        """Whether the person can go on with what was kept after the last round: with everything, unless a step says otherwise."""
        return len(kept) == sum(part.slots for part in self.parts)

    @abstractmethod
    def messages(self, part: Part, missing: Sequence[int]) -> tuple[Message, ...]:
        """The call that asks for the `missing` slots of a part."""

    @abstractmethod
    def schema(self, part: Part, missing: Sequence[int]) -> Mapping[str, Json]:
        """The JSON schema of its answer."""

    @abstractmethod
    def room(self, missing: Sequence[int]) -> int:
        """Tokens that the answer may take."""

    @abstractmethod
    def pieces(self, part: Part, answer: Mapping[str, Any]) -> Sequence[object]:
        """What an answer holds, a piece a missing slot, in order. Raises Rejected for another shape."""

    @abstractmethod
    def judge(self, part: Part, slot: int, piece: object, kept: Kept) -> Any:
        """What is kept for a slot. Raises Rejected."""

    @abstractmethod
    def value(self, kept: Kept) -> T:
        """The step's result."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What a step took: model calls, those of them that were repairs, tokens, the model as replies name it, and pieces refused by fault."""

    calls: int = 0
    repairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    faults: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Made(Generic[T]):
    """A step's result for one person, and what it took."""

    value: T
    effort: Effort


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of a round."""

    part: Part
    missing: tuple[int, ...]
    round: int
    messages: tuple[Message, ...]
    schema: str
    room: int


class Draft(Generic[T]):
    """A step on its way: `asks`, then `take` an outcome for each of them, until `asks` has nothing more; then `outcome`."""

    def __init__(self, step: Step[T], repairs: int = REPAIRS) -> None:
        self._step, self._rounds = step, 1 + repairs
        self._round = 0
        self._kept: Kept = {}
        self._spare: dict[tuple[str, int], tuple[Part, object]] = {}
        self._rejected: dict[str, list[Rejected]] = {part.name: [] for part in step.parts}
        """What the last round said to a part that cannot be used."""
        self._effort = Effort()
        self._faults: Counter[Fault] = Counter()
        self._failed: Failed | None = None

    def asks(self) -> list[Ask]:
        """The calls of the next round: whatever is missing; none when all is there, a call failed for good, or the rounds are used up."""
        if self._failed or self._round == self._rounds:
            return []
        self._round += 1
        return [ask for part in self._step.parts if (ask := self._ask(part))]

    def _ask(self, part: Part) -> Ask | None:
        missing = tuple(slot for slot in range(part.slots) if (part.name, slot) not in self._kept)
        if not missing:
            return None
        messages = self._step.messages(part, missing)
        if rejected := self._rejected[part.name]:
            # Told in the question: a small model that is shown its own answer gives it again.
            *before, question = messages
            messages = (*before, Message("user", f"{question.content}\n\n{_complaint(rejected, len(missing))}"))
        schema = json.dumps(self._step.schema(part, missing), ensure_ascii=False)
        return Ask(part, missing, self._round, messages, schema, self._step.room(missing))

    def take(self, ask: Ask, outcome: Outcome[Reply]) -> None:
        """What came of a call. Calls of a round are taken in its order: later pieces are held against earlier ones."""
        self._count(ask, outcome)
        self._rejected[ask.part.name] = []
        match outcome:
            case Failed():
                self._failed = self._failed or outcome
            case Refused(raw):
                self._reject(ask, Rejected(Fault.DECLINED, raw))
            case Unparsed(raw):
                self._reject(ask, Rejected(Fault.DECLINED if is_refusal(raw) else Fault.NO_JSON, raw))
            case Answered(reply):
                text = reply.choices[0].text.encode("utf-8", "replace").decode()
                try:
                    self._keep(ask, self._step.pieces(ask.part, _object(text)))
                except Rejected as rejected:
                    self._reject(ask, rejected)

    def _keep(self, ask: Ask, pieces: Sequence[object]) -> None:
        for slot, piece in zip(ask.missing, pieces, strict=False):
            try:
                self._kept[ask.part.name, slot] = self._step.judge(ask.part, slot, piece, self._kept)
            except Rejected as rejected:
                self._reject(ask, rejected)
                if rejected.spare is not None:
                    self._spare[ask.part.name, slot] = (ask.part, piece)
        for _ in range(len(pieces), len(ask.missing)):
            self._reject(ask, Rejected(Fault.MISSING))

    def _reject(self, ask: Ask, rejected: Rejected) -> None:
        self._rejected[ask.part.name].append(rejected)
        self._faults[rejected.fault] += 1

    def _count(self, ask: Ask, outcome: Outcome[Reply]) -> None:
        spent, before = (outcome.value if isinstance(outcome, Answered) else None), self._effort
        self._effort = Effort(
            before.calls + 1,
            before.repairs + (ask.round > 1),
            before.input_tokens + (spent.input_tokens if spent else 0),
            before.output_tokens + (spent.output_tokens if spent else 0),
            spent.model if spent else before.model,
        )

    def outcome(self) -> Outcome[Made[T]]:
        """How the step ended for this person: made, or why not. A person that lacks too much ends by the commonest of the last faults."""
        if self._failed:
            return self._failed
        self._fall_back()
        if self._step.enough(self._kept):
            faults = tuple(sorted((fault.value, count) for fault, count in self._faults.items()))
            effort = self._effort
            made = Effort(effort.calls, effort.repairs, effort.input_tokens, effort.output_tokens, effort.model, faults)
            return Answered(Made(self._step.value(self._kept), made))
        last = [rejected for each in self._rejected.values() for rejected in each]
        fault = Counter(rejected.fault for rejected in last).most_common(1)[0][0]
        first = next(rejected for rejected in last if rejected.fault is fault)
        if fault is Fault.NO_JSON:
            return Unparsed(first.about)
        if fault is Fault.DECLINED:
            return Refused(first.about)
        wanted = sum(part.slots for part in self._step.parts)
        message = f"{len(self._kept)} of {wanted} pieces could be used after {self._round} rounds; of the others: {first.told}"
        return Failed(f"person-{fault.value}", message)

    def _fall_back(self) -> None:
        """Fill what is still missing with the spare pieces that are no worse for what was kept since."""
        for (name, slot), (part, piece) in self._spare.items():
            if (name, slot) not in self._kept:
                try:
                    self._kept[name, slot] = self._step.judge(part, slot, piece, self._kept)
                except Rejected as rejected:
                    if rejected.spare is not None:
                        self._kept[name, slot] = rejected.spare


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object in a reply. Raises Rejected."""
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # half of a character, which JSON can spell, is no text
    except (ValueError, RecursionError):
        raise Rejected(Fault.NO_JSON, text) from None
    if not isinstance(found, dict):
        raise Rejected(Fault.SHAPE, type(found).__name__)
    return found


def listed(answer: Mapping[str, Any], name: str) -> list[object]:
    """The list called `name` in an answer. Raises Rejected."""
    found = answer.get(name)
    if not isinstance(found, list):
        raise Rejected(Fault.SHAPE, name)
    return found


def _complaint(rejected: Sequence[Rejected], missing: int) -> str:
    told = dict.fromkeys(each.told for each in rejected)
    return template("repair").fill("ask", complaints="\n".join(f"- {each}" for each in list(told)[:TOLD]), count=missing)
