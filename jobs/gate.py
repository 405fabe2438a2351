"""Nothing new is submitted while the lease is not good: checked at every step of Ray Data's scheduling loop (STORAGE, rule 5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PAUSE_S = 0.2

_check: Callable[[], bool] = lambda: True  # noqa: E731 - a module's variable: Ray makes the callback, and copies it with its context


@contextmanager
def gated(context: Any, may_submit: Callable[[], bool]) -> Iterator[None]:
    """Let executions under a DataContext wait while `may_submit()` is False; what it raises ends them."""
    global _check
    _check = may_submit
    if _Gate not in context.custom_execution_callback_classes:
        context.custom_execution_callback_classes.append(_Gate)
    try:
        yield
    finally:
        _check = lambda: True  # noqa: E731 - a loop that waits goes on, and ends


class _Gate:
    """Waits at each step; Ray calls it in the thread that submits."""

    def before_execution_starts(self, executor: Any) -> None:
        self.on_execution_step(executor)

    def on_execution_step(self, executor: Any) -> None:
        while not _check():
            time.sleep(PAUSE_S)

    def after_execution_succeeds(self, executor: Any) -> None: ...

    def after_execution_fails(self, executor: Any, error: Exception) -> None: ...
