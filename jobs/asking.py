"""Asking an actor without letting one bad unit take its batch, its shard or the run down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from engine.errors import EngineDied, InputError, MienError
from engine.outcome import Failed, FailureKind, Outcome
from jobs.masking import masked

ATTEMPTS = 3
"""How often a single unit is asked before a passing error ends it as `Failed` (retryable)."""

PAUSE_S = 0.2
"""Before the second attempt; doubled for the next."""

Ask: TypeAlias = Callable[[Any, Sequence[Any]], Sequence[Outcome[Any]]]

_ENGINE_DEATHS = ("EngineDeadError", "AcceleratorError", "ActorDiedError")
"""Exceptions of vLLM, torch and Ray after which an engine answers nothing any more."""


class Asking:
    """Asks one actor. What did not fit into memory once is not tried again: later batches stay below it."""

    def __init__(self) -> None:
        self._fits: int | None = None

    def outcomes(self, ask: Ask, actor: Any, requests: Sequence[Any]) -> list[Outcome[Any]]:
        """One outcome a request, in order. A batch that raises is halved until the unit at fault stands alone and ends as `Failed`.

        Errors of the store, the configuration and the model's files are not a unit's fault: they are raised, and so is EngineDied.
        """
        if not requests:
            return []
        if self._fits and len(requests) > self._fits:
            head, tail = requests[: self._fits], requests[self._fits :]
            return self.outcomes(ask, actor, head) + self.outcomes(ask, actor, tail)
        if len(requests) == 1:
            return [self._alone(ask, actor, requests)]
        outcome = guarded(_asked, ask, actor, requests)
        if not isinstance(outcome, Failed):
            answers: list[Outcome[Any]] = outcome
            return answers
        half = len(requests) // 2
        if outcome.kind is FailureKind.OUT_OF_MEMORY:
            self._fits = half
        return self.outcomes(ask, actor, requests[:half]) + self.outcomes(ask, actor, requests[half:])

    def _alone(self, ask: Ask, actor: Any, requests: Sequence[Any]) -> Outcome[Any]:
        for attempt in range(1, ATTEMPTS + 1):
            answers = guarded(_asked, ask, actor, requests)
            outcome: Outcome[Any] = answers if isinstance(answers, Failed) else answers[0]
            # A passing error that was raised is asked again; one that the actor answered with was its own decision.
            if not isinstance(answers, Failed) or answers.kind is not FailureKind.RETRYABLE or attempt == ATTEMPTS:
                return outcome
            time.sleep(PAUSE_S * 2 ** (attempt - 1))
        raise AssertionError("unreachable")


def guarded(call: Callable[..., Any], *arguments: Any) -> Any:
    """What `call` returns, or the `Failed` that its exception amounts to. Errors that are not a unit's fault are raised."""
    try:
        return call(*arguments)
    except InputError as error:
        return Failed(error.code, error.message)
    except MienError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a unit does to an actor, it must not take its shard down
        return _failure(error)


def _asked(ask: Ask, actor: Any, requests: Sequence[Any]) -> list[Outcome[Any]]:
    try:
        outcomes = list(ask(actor, requests))
    except Exception as error:
        if type(error).__name__ in _ENGINE_DEATHS or ("CUDA error" in str(error) and "out of memory" not in str(error).lower()):
            raise EngineDied(f"The engine is dead: {_failure(error).message}") from error
        raise
    if len(outcomes) != len(requests):
        # The 1:1 contract: a wrong count cannot be assigned to units, so none of them may become a score.
        raise RuntimeError(f"{type(actor).__name__} answered {len(outcomes)} of {len(requests)} requests")
    return outcomes


def _failure(error: Exception) -> Failed:
    """The failure of a unit that raised: what kind it is decides whether a retry can help."""
    text = f"{type(error).__name__}: {error}"
    message = masked(text)  # rows go into reports, and must be the same on every machine
    if isinstance(error, MemoryError) or "out of memory" in text[:500].lower():
        return Failed("out-of-memory", message, FailureKind.OUT_OF_MEMORY)
    if isinstance(error, OSError | TimeoutError):
        return Failed("transient", message, FailureKind.RETRYABLE)
    return Failed("actor-error", message, FailureKind.PERMANENT)
