"""From open batches to results: looks at them until they end, reads what came back and says what did not belong there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from actors.endpoints.background import in_background
from actors.endpoints.batch_lines import unbegun
from actors.endpoints.batch_service import BatchService, Problem, Result, Standing
from actors.endpoints.credentials import key_variable
from actors.endpoints.verdicts import ApiError, Unanswered, verdict
from engine.errors import MienError
from engine.generation.chat import ENDPOINT_FAILED, ENDPOINT_REFUSED
from engine.outcome import Failed, FailureKind
from engine.store.batch_ledger import ROW, Recorded
from engine.writer_config import Endpoint

OUTAGE_S = 2 * 3600.0
"""How long a provider may be away while a batch is open; the batch goes on, and the next call attaches to it."""

OPEN_S = 36 * 3600.0
"""Providers promise an end after 24 hours; after this one is not believed in any more."""

QUEUE_S = 600.0
"""Most seconds between two tries to submit while the provider's queue is full."""

FULL = "token_limit_exceeded"
"""OpenAI's code of a batch that its queue had no room for."""

_HEX = frozenset("0123456789abcdef")


@dataclass
class Collected:
    """What one call has found out so far about the rows it wants."""

    wanted: frozenset[str]
    results: dict[str, Result] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    """Of the batches that were read."""
    turned_away: int = 0
    """Batches that were not begun because the provider's queue was full."""

    def is_final(self, id_: str) -> bool:
        """Whether another batch could not change what became of this row."""
        return id_ in self.results and self.results[id_].is_final

    def finals(self) -> dict[str, Result]:
        """The rows that have come to an end."""
        return {id_: result for id_, result in self.results.items() if result.is_final}

    def take(self, recorded: Recorded, id_: str, result: Result) -> None:
        """Keep a row's result; what only failed in a batch whose outcomes were told before is asked for again."""
        if id_ in self.wanted and not self.is_final(id_) and (result.reply is not None or not recorded.told):
            self.results[id_] = result


class Collecting:
    """Waits for batches of one provider. `pause` sleeps, or raises if the model was closed."""

    def __init__(self, service: BatchService, endpoint: Endpoint, progress: Callable[[str], None], pause: Callable[[float], None]) -> None:
        self._service, self._endpoint, self._say, self._pause = service, endpoint, progress, pause

    def collect(self, batches: Sequence[Recorded], collected: Collected) -> None:
        """Wait until all of these have ended, and take what they hold.

        Raises Unanswered if the provider stays away or a batch does not end; ConfigError or BudgetReached if rows or a batch failed for a
        reason that no row escapes.
        """
        waiting = {each.key: each for each in batches}
        turned_away = collected.turned_away
        began = seen = time.monotonic()
        while True:
            for recorded in list(waiting.values()):
                try:
                    standing = in_background(self._service.look(recorded.batch))
                except Unanswered as error:
                    if time.monotonic() - seen > OUTAGE_S:
                        raise
                    self._say(f"batch {recorded.batch}: {error}")
                    continue
                seen = time.monotonic()
                self._say(_told(recorded.batch, standing))
                if standing.state != "open":
                    self._end(recorded, standing, collected)
                    del waiting[recorded.key]
            if not waiting:
                break
            if time.monotonic() - began > OPEN_S:
                late = f"{len(waiting)} batches are open for longer than {OPEN_S / 3600:g} hours; the same command attaches to them."
                raise Unanswered(Failed(ENDPOINT_FAILED, late, FailureKind.RETRYABLE))
            self._pause(self._endpoint.poll_s)
        if collected.turned_away > turned_away:
            self._pause(min(QUEUE_S, self._endpoint.poll_s * 2 ** min(collected.turned_away, 20)))

    def _end(self, recorded: Recorded, standing: Standing, collected: Collected) -> None:
        if standing.state == "ended":
            self._read(recorded, standing, collected)
        elif standing.state == "failed" and not recorded.told:
            for problem in standing.problems:
                self._learn(recorded, problem, collected)
        collected.keys.add(recorded.key)

    def _read(self, recorded: Recorded, standing: Standing, collected: Collected) -> None:
        results, spoiled = in_background(self._service.results(standing))
        if spoiled:  # a download may have gone wrong
            results, spoiled = in_background(self._service.results(standing))
        ours = set(recorded.rows.tolist())
        seen: set[str] = set()
        twice = foreign = 0
        for id_, result in results:
            if not _HEX.issuperset(id_[:ROW]) or len(id_) < ROW or int(id_[:ROW], 16) not in ours:
                foreign += 1
            elif id_ in seen:
                twice += 1
            else:
                seen.add(id_)
                collected.take(recorded, id_, result)
        odd = {"cannot be read": spoiled, "belong to no row": foreign, "came twice": twice, "are missing": len(ours) - len(seen)}
        if any(odd.values()):
            self._say(f"batch {recorded.batch}: of its results " + ", ".join(f"{count} {what}" for what, count in odd.items() if count))

    def _learn(self, recorded: Recorded, problem: Problem, collected: Collected) -> None:
        """What a batch that was not begun says of its rows."""
        if problem.code == FULL:
            collected.turned_away += 1
            return
        why = problem.message or problem.code
        self._raise_everybodys(problem)
        rows = [f"{row:0{ROW}x}" for row in recorded.rows.tolist()]
        at_fault = set(rows[problem.line - 1 : problem.line] if problem.line else rows)
        result = Result(error=Failed(ENDPOINT_REFUSED, why)) if problem.line else unbegun(f"The provider did not begin the batch: {why}")
        for id_ in collected.wanted:
            if id_[:ROW] in at_fault:
                collected.take(recorded, id_, result)

    def _raise_everybodys(self, problem: Problem) -> None:
        """Raises a problem that no row escapes: an unknown model, an account without credit."""
        status = 404 if problem.code == "model_not_found" else 400
        error = ApiError(problem.message, frozenset({problem.code.lower()}), parameter="model" if status == 404 else "")
        found = verdict(status, {}, error, key_variable=key_variable(self._endpoint, self._service.provider))
        if isinstance(found, MienError):
            raise found


def _told(batch: str, standing: Standing) -> str:
    said = f"batch {batch}: {standing.done} of {standing.total} done"
    return said if standing.state == "open" else f"{said}, {standing.state}"
