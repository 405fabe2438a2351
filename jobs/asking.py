"""Asking an actor without letting one bad unit take its batch, its shard or the run down."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import InputError, MienError
from engine.outcome import Failed, FailureKind, Outcome

ATTEMPTS = 3
"""How often a single unit is asked before a passing error ends it as `Failed` (retryable)."""

PAUSE_S = 0.2
"""Before the second attempt; doubled for the next."""

_SECRETS = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_LOCAL = re.compile(r"(?:/[\w.~-]+){2,}|0x[0-9a-fA-F]+|\bpid[ =:]*\d+")


def ask_safely(ask: Callable[[Any, Sequence[Any]], Sequence[Outcome[Any]]], actor: Any, requests: Sequence[Any]) -> list[Outcome[Any]]:
    """One outcome a request, in order. A batch that raises is halved until the unit at fault stands alone and ends as `Failed`.

    Errors of the store, the configuration and the model's files are not a unit's fault: they are raised.
    """
    if not requests:
        return []
    for attempt in range(1, ATTEMPTS + 1):
        outcome = guarded(_asked, ask, actor, requests)
        if not isinstance(outcome, Failed):
            answers: list[Outcome[Any]] = outcome
            return answers
        if len(requests) > 1:
            half = len(requests) // 2
            return ask_safely(ask, actor, requests[:half]) + ask_safely(ask, actor, requests[half:])
        if outcome.kind is not FailureKind.RETRYABLE:
            break
        if attempt < ATTEMPTS:
            time.sleep(PAUSE_S * 2 ** (attempt - 1))
    return [outcome]


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


def _asked(ask: Callable[[Any, Sequence[Any]], Sequence[Outcome[Any]]], actor: Any, requests: Sequence[Any]) -> list[Outcome[Any]]:
    outcomes = list(ask(actor, requests))
    if len(outcomes) != len(requests):
        # The 1:1 contract: a wrong count cannot be assigned to units, so none of them may become a score.
        raise RuntimeError(f"{type(actor).__name__} answered {len(outcomes)} of {len(requests)} requests")
    return outcomes


def _failure(error: Exception) -> Failed:
    """The failure of a unit that raised: what kind it is decides whether a retry can help."""
    text = f"{type(error).__name__}: {error}"[:500]
    # Rows go into reports and must be the same on every machine: no credentials, paths, addresses or process numbers.
    message = _LOCAL.sub("...", _SECRETS.sub("***", text))
    if isinstance(error, MemoryError) or "out of memory" in text.lower():
        return Failed("out-of-memory", message, FailureKind.OUT_OF_MEMORY)
    if isinstance(error, OSError | TimeoutError):
        return Failed("transient", message, FailureKind.RETRYABLE)
    return Failed("actor-error", message, FailureKind.PERMANENT)
