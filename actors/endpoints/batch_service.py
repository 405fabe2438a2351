"""What the batch endpoints of all providers have in common, as `actors.endpoints.batches` uses them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from actors.endpoints.credentials import Provider
from engine.generation.chat import ChatRequest, Reply
from engine.outcome import Failed, FailureKind, Outcome, Refused
from engine.store.batch_ledger import Claim

Json = dict[str, Any]

EARLY_S = 3600.0
"""How much earlier than a claim a batch of it may seem to have begun: two clocks."""

PAGES = 50
"""Pages of a hundred batches that are looked through at most for one of ours."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a batch: one reply to a request (all `n` of them where the provider gives them together), or the `number`-th.

    `id` says what is asked, and where: hex, unique in every batch.
    """

    id: str
    request: ChatRequest
    number: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a batch was not begun; `line` counts its rows from 1, 0 where the whole batch is at fault."""

    code: str
    message: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """A batch as the provider sees it: `done` of `total` rows have come to an end.

    "ended" has `results` (where they lie), of which rows may be missing; "failed" was never begun, and `problems` say why; of what is
    "gone" nothing can be had.
    """

    state: Literal["open", "ended", "failed", "gone"]
    done: int = 0
    total: int = 0
    results: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a row: a reply, which was paid, or an error, which was not. Neither: the batch expired before it was begun.

    `parameter` is the field of its body that an error is about.
    """

    reply: Json | None = None
    error: Refused | Failed | None = None
    parameter: str = ""

    @property
    def is_final(self) -> bool:
        """Whether another batch could not change it."""
        error = self.error
        return self.reply is not None or isinstance(error, Refused) or (error is not None and error.kind is FailureKind.PERMANENT)


class BatchService(Protocol):
    """A provider's batches. Calls raise Unanswered for what went wrong with them, ConfigError or BudgetReached for what no call would
    escape; all but `create` are tried again by themselves."""

    provider: Provider
    most_rows: int
    most_bytes: int
    names_its_batches: bool
    """Whether a candidate is certain by its name; if not, its results tell whose it is."""

    def rows_of(self, request: ChatRequest) -> int:
        """How many rows a request takes."""
        ...

    def line(self, row: Row) -> Json:
        """The row as the provider takes it. Raises Unanswered if it cannot be put."""
        ...

    def follows(self, row: Row, parameter: str) -> bool:
        """Whether the row's next line does without the parameter that its last one was refused for."""
        ...

    def read(self, request: ChatRequest, replies: Sequence[Json]) -> Outcome[Reply]:
        """What the replies to a request amount to."""
        ...

    async def prepare(self, lines: Sequence[Json]) -> Json:
        """What `create` sends; nothing is charged yet."""
        ...

    async def create(self, key: str, prepared: Json) -> str:
        """Submit, once; the batch's id. Raises Unanswered (retryable) also where the batch may have been accepted all the same."""
        ...

    async def look(self, batch: str) -> Standing:
        """How a batch stands."""
        ...

    async def results(self, standing: Standing) -> tuple[list[tuple[str, Result]], int]:
        """The results of an ended batch by row id, as they come, and how many lines could not be read."""
        ...

    async def candidates(self, claim: Claim, known: Collection[str]) -> list[str]:
        """Batches that may be the one that a claimer submitted and did not live to record, the likeliest first; none is `known`."""
        ...

    async def cancel(self, batch: str) -> None:
        """Ask for an end; what is done by then is charged."""
        ...
