"""The pool of queries, one shard for the whole run, and how each person draws from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from engine.keys import Json, content_key
from engine.queries.drawing import DRAW_RULE
from engine.records import QUERY_SCHEMA, Query
from engine.stage import Stage, Unit

ASSIGNED_RULE = "assigned-1"


class Queries(Stage[Query]):
    """One row a query."""

    kind = "queries"
    version = 1
    per = "query"
    payload = pa.schema([field.with_nullable(True) for field in QUERY_SCHEMA])

    def parameters(self) -> Mapping[str, Json]:
        return {}

    def encode(self, value: Query) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> Query:
        return Query(**columns)


@dataclass(frozen=True, slots=True)
class Draw:
    """Which queries each person gets: part of the fingerprint of what reads them."""

    pool: str
    """Content key of the pool."""
    tasks: tuple[str, ...]
    per_task: int
    seed: int
    assigned: bool = False
    """Whether the plan names each person's queries; a shard's key then covers them, so fingerprints need not."""

    def recipe(self) -> dict[str, Json]:
        """As JSON, for fingerprints."""
        if self.assigned:
            return {"rule": ASSIGNED_RULE}
        return {"rule": DRAW_RULE, "pool": self.pool, "tasks": list(self.tasks), "per_task": self.per_task, "seed": self.seed}


def query_key(query: Query) -> str:
    """The content key of a query."""
    return content_key(asdict(query))


def query_units(subject: str, queries: tuple[Query, ...]) -> list[Unit]:
    """The units of one person for these queries."""
    return [Unit(content_key({"subject": subject, "query": query_key(query)}), subject, query) for query in queries]
