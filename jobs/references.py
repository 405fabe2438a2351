"""The rows that move through Ray: which shard, what it has, and what was done to it on its way; under 1 KB."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

ABSENT = -1
"""The stage has no result on the shard yet."""

Batch: TypeAlias = "Mapping[str, np.ndarray[Any, Any]]"


@dataclass(frozen=True, slots=True)
class Visit:
    """One operator's work on a shard: where, when, in the which attempt; by stage index (rows, failed by themselves, process seconds)."""

    operator: str
    node: str
    pid: int
    attempt: int
    started: float
    ended: float
    requests: int
    """To the store, by this process since its last visit; 0 where none are paid for."""
    tallies: tuple[tuple[int, int, int, float], ...]
    spent: tuple[tuple[str, int, int, int, float], ...] = ()
    """By language models of this process since its last visit: (actor, calls, input tokens, output tokens, dollars)."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a shard stopped on its way: an error of mien's, told as a row since Ray would wrap an exception beyond recognition."""

    kind: str
    message: str
    remedy: str
    again: bool
    """Whether the next pass mends it (a file in quarantine), rather than every other shard meeting it too (a full disk)."""


@dataclass(frozen=True, slots=True)
class ShardReference:
    """A shard on its way: what it has (overlays by stage, in the workflow's order), whether its lineage is to be inspected and failed
    units tried again, and who was at work on it so far."""

    shard: int
    done: tuple[int, ...]
    inspect: bool
    retry: bool
    retry_code: str
    visits: tuple[Visit, ...] = field(default=())
    trouble: Trouble | None = None

    def row(self) -> dict[str, Any]:
        """As a Ray row of constant columns."""
        visits = [
            [
                *(v.operator, v.node, v.pid, v.attempt, round(v.started, 3), round(v.ended, 3), v.requests),
                [list(tally) for tally in v.tallies],
                [list(spent) for spent in v.spent],
            ]
            for v in self.visits
        ]
        trouble = self.trouble
        return {
            "shard": self.shard,
            "done": json.dumps(self.done),
            "inspect": self.inspect,
            "retry": self.retry,
            "retry_code": self.retry_code,
            "visits": json.dumps(visits),
            "trouble": json.dumps([trouble.kind, trouble.message, trouble.remedy, trouble.again] if trouble else None),
        }

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> ShardReference:
        """From a Ray row."""
        visits = tuple(_visit(*facts) for facts in json.loads(str(row["visits"])))
        trouble = json.loads(str(row["trouble"]))
        return cls(
            int(row["shard"]),
            tuple(json.loads(str(row["done"]))),
            bool(row["inspect"]),
            bool(row["retry"]),
            str(row["retry_code"]),
            visits,
            Trouble(*trouble) if trouble else None,
        )

    @classmethod
    def of_batch(cls, batch: Batch) -> ShardReference:
        """From a batch of one row."""
        return cls.of({name: values[0] for name, values in batch.items()})


def _visit(
    operator: str,
    node: str,
    pid: int,
    attempt: int,
    started: float,
    ended: float,
    requests: int,
    tallies: list[list[Any]],
    spent: list[list[Any]],
) -> Visit:
    numbers = tuple((int(index), int(rows), int(failed), float(seconds)) for index, rows, failed, seconds in tallies)
    bills = tuple((str(actor), int(calls), int(read), int(wrote), float(dollars)) for actor, calls, read, wrote, dollars in spent)
    return Visit(operator, node, pid, attempt, started, ended, requests, numbers, bills)
