"""The stage contract: a shard of subjects in, one immutable result out, nothing else shared (ARCHITECTURE, the stage contract).

A concrete stage says only: what it reads (`inputs`), how a unit becomes a call (`request`), which actor answers (`actor`, `ask`)
and what a row is (`value`, `encode`, `decode`, `payload`). Everything else (skipping, batching, committing, counting) is the runner's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeVar

import pyarrow as pa

from engine.keys import Json, content_key
from engine.outcome import Failed, Outcome
from engine.records import Query
from engine.store.names import short

V = TypeVar("V")

Per = Literal["person", "query", "task", "half"]
"""A stage has one unit per person, one per query of the pool, one per person and query ("task"), or one per half of the person's
captions with each query ("half")."""

Half = Literal["", "a", "b"]
"""Which half of a person's captions a unit of cross-fitting sees; "" where halves do not matter."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What ends with exactly one outcome: a person, a person's query, or that with half of the person's captions.

    `strangers` are other people of the same shard, for the comparisons that need one. `task` is the key of the person's query that a
    half belongs to; the unit's own key for any other unit.
    """

    key: str
    subject: str
    query: Query | None = None
    strangers: tuple[str, ...] = ()
    half: Half = ""
    task: str = ""

    def __post_init__(self) -> None:
        if not self.task:
            object.__setattr__(self, "task", self.key)

    def of_half(self, half: Half) -> Unit:
        """This person's query with one half of the captions."""
        return Unit(content_key({"task": self.key, "half": half}), self.subject, self.query, self.strangers, half, self.key)


class Stage(ABC, Generic[V]):
    """One step of a benchmark. Equal recipes are equal stages: their results are shared between runs."""

    kind: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever the output changes for the same input; a test holds golden digests."""
    per: Per
    payload: ClassVar[pa.Schema]
    """Arrow fields of a row's value; all nullable, since a failed row has none."""

    inputs: tuple[Stage[Any], ...] = ()
    actor: str | None = None
    """Name of the actor that answers this stage's calls; None if there are none (the input is read from outside)."""

    @property
    def name(self) -> str:
        """Readable and unique within a run: the kind and what tells it from its siblings."""
        return self.kind

    @abstractmethod
    def parameters(self) -> Mapping[str, Json]:
        """Every choice that changes the output, models and their revisions included."""

    @cached_property
    def recipe(self) -> dict[str, Json]:
        """What the fingerprint hashes, in full."""
        return {
            "stage": self.name,
            "kind": self.kind,
            "version": self.version,
            "parameters": dict(self.parameters()),
            "inputs": {stage.name: stage.fingerprint for stage in self.inputs},
        }

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the canonical recipe."""
        return content_key(self.recipe)

    @cached_property
    def id(self) -> str:
        """The stage's name in the store."""
        return f"{self.name}-{short(self.fingerprint)}"

    def takes(self, unit: Unit) -> bool:
        """Whether this stage has `unit` at all: a stage may be about some people only. Decided from the unit and the recipe alone."""
        return True

    def row_key(self, unit: Unit) -> str:
        """The key under which this stage holds what `unit` reads from it: the person's row, the person's query's, or the unit's own."""
        return {"person": unit.subject, "query": unit.key, "task": unit.task, "half": unit.key}[self.per]

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        """Which rows `unit` reads, in the order in which `request` gets their values: one of each input, unless a stage says otherwise."""
        return tuple(Read(stage, stage.row_key(unit)) for stage in self.inputs)

    def request(self, unit: Unit, *inputs: Any) -> Any:
        """The call that answers `unit`, from the values of what it reads in order; a `Failed` if the unit cannot be asked."""
        raise NotImplementedError

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        """The actor's outcomes for a whole batch, one a request, in order. Stages that share `ask` and `actor` share batches."""
        raise NotImplementedError

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> V | Failed:
        """What the row holds, from the actor's reply."""
        result: V = reply
        return result

    @abstractmethod
    def encode(self, value: V) -> dict[str, Any]:
        """The value as columns of `payload`."""

    @abstractmethod
    def decode(self, columns: dict[str, Any]) -> V:
        """The value back from columns of `payload`; lists of floats arrive as numpy arrays."""


@dataclass(frozen=True, slots=True)
class Read:
    """One row that a unit reads. Without an answer there the unit fails, unless it is `optional`: its value is then None."""

    stage: Stage[Any]
    key: str
    optional: bool = False


def with_inputs(stage: Stage[Any]) -> Iterator[Stage[Any]]:
    """A stage after all that it reads, however deep; a stage that is read twice comes twice."""
    for each in stage.inputs:
        yield from with_inputs(each)
    yield stage


def waves(stages: Sequence[Stage[Any]]) -> list[list[Stage[Any]]]:
    """`stages` in dependency order: each wave reads only earlier ones. Inputs that are not listed count as given."""
    listed = {stage.id: stage for stage in stages}
    depth: dict[str, int] = {}

    def of(stage: Stage[Any]) -> int:
        if stage.id not in listed:
            return -1
        if stage.id not in depth:
            depth[stage.id] = 1 + max((of(input_) for input_ in stage.inputs), default=-1)
        return depth[stage.id]

    result: list[list[Stage[Any]]] = [[] for _ in range(1 + max(map(of, stages), default=-1))]
    for stage in listed.values():
        result[depth[stage.id]].append(stage)
    return result
