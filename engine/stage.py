"""The stage contract: a shard of subjects in, one immutable result out, nothing else shared (ARCHITECTURE, the stage contract).

A concrete stage says only: what it reads (`inputs`), how a unit becomes a call (`request`), which actor answers (`actor`, `ask`)
and what a row is (`value`, `encode`, `decode`, `payload`). Everything else (skipping, batching, committing, counting) is the runner's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeVar

import pyarrow as pa

from engine.keys import Json, content_key
from engine.outcome import Failed, Outcome
from engine.records import Query
from engine.store.names import short

V = TypeVar("V")

Per = Literal["person", "query", "task"]
"""A stage has one unit per person, one per query of the pool, or one per person and query ("task")."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What ends with exactly one outcome: a person, or a person's query."""

    key: str
    subject: str
    query: Query | None = None


class Stage(ABC, Generic[V]):
    """One step of a benchmark. Equal recipes are equal stages: their results are shared between runs."""

    kind: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever the output changes for the same input; a test holds golden digests."""
    per: ClassVar[Per]
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

    def row_key(self, unit: str, subject: str) -> str:
        """The key under which this stage holds what a unit of `subject` reads from it: the person's row, or the unit's own."""
        return subject if self.per == "person" else unit

    def request(self, unit: Unit, *inputs: Any) -> Any:
        """The call that answers `unit`, from the values of its inputs in order; a `Failed` if the unit cannot be asked."""
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
