"""From rows to a batch at the provider, once: whoever dies on the way leaves a claim by which the next one finds what was accepted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from actors.endpoints.background import in_background
from actors.endpoints.batch_lines import encoded
from actors.endpoints.batch_service import BatchService, Json, Result, Row
from actors.endpoints.pauses import backoff
from actors.endpoints.verdicts import Unanswered
from engine.errors import StoreError
from engine.generation.chat import ENDPOINT_FAILED, RATE_LIMITED
from engine.keys import Json as Value
from engine.keys import content_key
from engine.outcome import Failed, FailureKind
from engine.store.batch_ledger import ROW, BatchLedger, Claim
from engine.writer_config import Endpoint

SETTLE_S = 5.0
"""Between two looks for a batch that a dead process may have submitted: a new one may not be listed at once."""

MARGIN_S = 30.0


class Submitting:
    """Submits to one provider. `pause` sleeps, or raises if the model was closed."""

    def __init__(
        self,
        service: BatchService,
        endpoint: Endpoint,
        ledger: BatchLedger,
        progress: Callable[[str], None],
        pause: Callable[[float], None],
    ) -> None:
        self._service, self._endpoint, self._ledger, self._say, self._pause = service, endpoint, ledger, progress, pause
        # A claimer begins its last try within `give_up_s` or not at all, and a try takes up to `timeout_s`.
        self._patience_s = endpoint.give_up_s + 2 * endpoint.timeout_s + MARGIN_S
        self._short_s = min(endpoint.poll_s, SETTLE_S)

    def submit(self, rows: Sequence[Row]) -> tuple[bool, dict[str, Result]]:
        """Put rows into new batches, as many as the provider's limits make: whether any was, and what is known of rows that it refuses.

        Nothing is submitted that another process claimed meanwhile: look into the ledger again. Raises Unanswered if the provider could
        not be reached.
        """
        entered = False
        refused: dict[str, Result] = {}
        lines: list[tuple[str, Json]] = []
        for row in rows:
            try:
                lines.append((row.id, self._service.line(row)))
            except Unanswered as error:
                refused[row.id] = Result(error=error.outcome)
        for part in self._parts(lines):
            if (claim := self._claim([id_ for id_, _ in part])) is not None:
                entered = True
                refused |= self._enter(claim, [line for _, line in part])
        return entered, refused

    def settle(self, claim: Claim) -> None:
        """Find out what became of a claim without a record, or wait a little if its claimer may still be at it."""
        mine = self._ledger.claim(claim.key, claim.rows, self._patience_s)
        if mine is None:
            self._pause(self._short_s)
        elif not self._ledger.is_recorded(mine.key):
            self._adopt(mine)

    def _claim(self, ids: Sequence[str]) -> Claim | None:
        """The right to submit these rows; None if another process has it, or had it and what became of that was found out."""
        key = self._free_key(ids)
        claim = self._ledger.claim(key, ids, self._patience_s)
        if claim is None:
            self._pause(self._short_s)
        elif not self._ledger.is_recorded(key):
            if claim.is_first:
                return claim
            self._adopt(claim)
        return None

    def _enter(self, claim: Claim, lines: Sequence[Json]) -> dict[str, Result]:
        with self._left_unless_recorded(claim):
            try:
                batch = self._created(claim, lines, time.monotonic() + self._endpoint.give_up_s)
            except Unanswered as error:
                if _in_passing(error):
                    raise
                self._ledger.accept(claim, "")
                return {id_: Result(error=error.outcome) for id_ in claim.rows}
            self._say(f"batch {batch}: {len(lines)} requests submitted")
            stands = self._ledger.accept(claim, batch)
        if stands != batch:
            # This process was taken for dead, and what it submitted was not found.
            self._say(f"batch {batch}: another process has claimed its rows; it is cancelled")
            with suppress(Unanswered):
                in_background(self._service.cancel(batch))
        return {}

    def _adopt(self, claim: Claim) -> None:
        with self._left_unless_recorded(claim):
            batch = self._orphan(claim)
            if batch:
                self._say(f"batch {batch}: found again, submitted by a process that ended before it could record it")
            self._ledger.accept(claim, batch)

    def _created(self, claim: Claim, lines: Sequence[Json], deadline: float) -> str:
        prepared = in_background(self._service.prepare(lines))
        last = Unanswered(Failed(ENDPOINT_FAILED, "The batch could not be submitted within give_up_s.", FailureKind.RETRYABLE))
        tries = 0
        while time.monotonic() < deadline:
            try:
                return in_background(self._service.create(claim.key, prepared))
            except Unanswered as error:
                if not _in_passing(error):
                    raise
                last, tries = error, tries + 1
                # Without an answer nobody knows whether the batch came into being.
                if not _was_turned_away(error) and (batch := self._orphan(claim)):
                    return batch
            self._pause(backoff(tries))
        raise last

    def _orphan(self, claim: Claim) -> str:
        """The batch of this claim that the provider has accepted and nobody recorded; "" if there is none."""
        others: set[str] = set()
        looks = 0
        while True:
            candidates = in_background(self._service.candidates(claim, self._ledger.batches() | others))
            for candidate in candidates:
                holds = self._service.names_its_batches or self._holds(candidate, claim)
                if holds:
                    return candidate
                if holds is False:
                    others.add(candidate)
            looks += 1
            open_ = len(set(candidates) - others)
            if open_:
                self._say(f"waiting for {open_} batches to end, to see whether one of them holds rows that are not to be paid twice")
                self._pause(self._endpoint.poll_s)
            elif looks > 1:
                return ""
            else:
                self._pause(self._short_s)

    def _holds(self, batch: str, claim: Claim) -> bool | None:
        """Whether a batch holds the claim's rows; None if that cannot be seen yet."""
        standing = in_background(self._service.look(batch))
        if standing.state == "open":
            return None
        if standing.state != "ended":
            return False
        ours = {row[:ROW] for row in claim.rows}
        results, _ = in_background(self._service.results(standing))
        return any(id_[:ROW] in ours for id_, _ in results)

    def _free_key(self, ids: Sequence[str]) -> str:
        """The key of the next batch of exactly these rows."""
        rows: list[Value] = [*sorted(ids)]
        number = 0
        while self._ledger.is_recorded(key := content_key([rows, number])):
            number += 1
        return key

    def _parts(self, lines: Sequence[tuple[str, Json]]) -> Iterator[list[tuple[str, Json]]]:
        """Lines in order, cut where the provider's limits are."""
        part: list[tuple[str, Json]] = []
        size = 0
        for id_, line in lines:
            length = len(encoded(line)) + 1
            if part and (len(part) == self._service.most_rows or size + length > self._service.most_bytes):
                yield part
                part, size = [], 0
            part.append((id_, line))
            size += length
        if part:
            yield part

    @contextmanager
    def _left_unless_recorded(self, claim: Claim) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with suppress(StoreError):
                self._ledger.leave(claim)
            raise


def _in_passing(error: Unanswered) -> bool:
    return isinstance(error.outcome, Failed) and error.outcome.kind is FailureKind.RETRYABLE


def _was_turned_away(error: Unanswered) -> bool:
    """Whether the provider surely did not accept: it said that it is too busy."""
    return isinstance(error.outcome, Failed) and error.outcome.code == RATE_LIMITED
