"""Calls to actors on behalf of a shard: logged, watched, and where a worker died on it, one named unit at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.outcome import Failed, FailureKind, Outcome
from jobs.asking import Ask, Asking
from jobs.attempts import KILLED_WORKER, UNIT_TRIES, Attempt, Attempts
from jobs.call_log import CallLog
from jobs.watchdog import Watchdog
from jobs.workflow import Actors


@dataclass(frozen=True, slots=True)
class Call:
    """One unit's request to an actor."""

    stage: str
    fingerprint: str
    unit: str
    request: Any


class Caller:
    """Makes the calls of one process. Without `attempts` (a test, a tool) nothing is marked in a store."""

    def __init__(self, actors: Actors, *, watchdog: Watchdog | None = None, attempts: Attempts | None = None, log: CallLog | None = None):
        self._actors, self._watchdog, self._attempts = actors, watchdog, attempts
        self._log = log or CallLog()
        self._asking: dict[str, Asking] = {}

    def outcomes(self, actor: str, ask: Ask, calls: Sequence[Call], shard: str, attempt: Attempt | None) -> list[Outcome[Any]]:
        """One outcome a call, in order."""
        answers = self._actors(actor)  # loading is not watched: a large model takes its time
        asking = self._asking.setdefault(actor, Asking())
        if attempt is None or not attempt.alone or _is_patient(answers):
            return self._watched(actor, answers, asking, ask, calls, shard, attempt)
        return [self._alone(actor, answers, asking, ask, call, shard, attempt) for call in calls]

    def _alone(self, actor: str, answers: Any, asking: Asking, ask: Ask, call: Call, shard: str, attempt: Attempt) -> Outcome[Any]:
        assert self._attempts is not None
        with self._attempts.unit(shard, call.fingerprint, call.unit) as may_be_asked:
            if not may_be_asked:
                message = f"it ended or blocked the process that asked it, {UNIT_TRIES} times when alone"
                return Failed(KILLED_WORKER, message, FailureKind.PERMANENT)
            return self._watched(actor, answers, asking, ask, [call], shard, attempt)[0]

    def _watched(
        self, actor: str, answers: Any, asking: Asking, ask: Ask, calls: Sequence[Call], shard: str, attempt: Attempt | None
    ) -> list[Outcome[Any]]:
        requests = [call.request for call in calls]
        with self._log.call(actor, shard, Counter(call.stage for call in calls)):
            return asking.outcomes(ask if _is_patient(answers) else self._limited(ask, attempt), answers, requests)

    def _limited(self, ask: Ask, attempt: Attempt | None) -> Ask:
        """`ask` under the watchdog: each call by itself, since a batch that is halved makes many."""
        if (watchdog := self._watchdog) is None:
            return ask

        def limited(answers: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
            with watchdog.watching(lambda: self._isolate(attempt), lambda: int(getattr(answers, "progress", 0))):
                return ask(answers, requests)

        return limited

    def _isolate(self, attempt: Attempt | None) -> None:
        if attempt is not None and self._attempts is not None and not attempt.alone:
            self._attempts.isolate(attempt)


def _is_patient(actor: Any) -> bool:
    """Whether an actor says (`patient = True`) that its calls wait on a server on purpose, within bounds of their own.

    No watchdog ends them: a provider's batch takes up to a day. Nor are its units asked one at a time after tasks were lost on a shard:
    they cannot end a process that only waits, and a batch that is asked for in pieces is not the one that was paid.
    """
    return bool(getattr(actor, "patient", False))
