"""Asking an actor without letting one bad unit take its batch down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import MienError
from engine.outcome import Failed, FailureKind, Outcome


def ask_safely(ask: Callable[[Any, Sequence[Any]], Sequence[Outcome[Any]]], actor: Any, requests: Sequence[Any]) -> list[Outcome[Any]]:
    """One outcome a request, in order. A batch that raises is halved until the unit at fault stands alone and ends as `Failed`.

    Errors of the store, the configuration and the model's files are not a unit's fault: they are raised.
    """
    if not requests:
        return []
    try:
        outcomes = list(ask(actor, requests))
    except MienError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a unit does to an actor, it must not take its shard down
        if len(requests) > 1:
            half = len(requests) // 2
            return ask_safely(ask, actor, requests[:half]) + ask_safely(ask, actor, requests[half:])
        return [_failure(error)]
    if len(outcomes) != len(requests):
        # The 1:1 contract: a wrong count cannot be assigned to units, so none of them may become a score.
        raise RuntimeError(f"{type(actor).__name__} answered {len(outcomes)} of {len(requests)} requests")
    return outcomes


def _failure(error: Exception) -> Failed:
    """The failure of a unit that raised: what kind it is decides whether a retry can help."""
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        kind, code = FailureKind.OUT_OF_MEMORY, "out-of-memory"
    elif isinstance(error, OSError | TimeoutError):
        kind, code = FailureKind.RETRYABLE, "transient"
    else:
        kind, code = FailureKind.PERMANENT, "actor-error"
    return Failed(code, f"{type(error).__name__}: {str(error)[:500]}", kind)
