"""Ends the process of a call that never returns: nothing in the process itself can (STORAGE, rule 6)."""

from __future__ import annotations

import faulthandler
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EXIT_CODE = 1
GRACE_S = 30.0
"""After the limit, for a process whose interpreter is stuck too: C code that never lets go of it."""


class Watchdog:
    """Watches calls of any thread; one that takes over `limit_s` seconds ends the process with a traceback of every thread in its log."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._begun: dict[int, float] = {}

    @contextmanager
    def watching(self, before_the_end: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Watch what happens inside. `before_the_end` is called before the process ends, if it still can be."""
        timer = threading.Timer(self._limit_s, _end, [before_the_end])
        timer.daemon = True
        timer.start()
        number = next(self._numbers)
        self._arm(lambda: self._begun.update({number: time.monotonic()}))
        try:
            yield
        finally:
            self._arm(lambda: self._begun.pop(number))
            timer.cancel()

    def _arm(self, change: Callable[[], object]) -> None:
        """Set the last resort for the call that began first: a thread of C code, which needs no interpreter and is there when
        `before_the_end` hangs. A process has one of it, however many calls it makes."""
        with self._lock:
            change()
            if not self._begun:
                faulthandler.cancel_dump_traceback_later()
                return
            left = min(self._begun.values()) + self._limit_s + GRACE_S - time.monotonic()
            faulthandler.dump_traceback_later(max(left, 0.001), exit=True, file=sys.__stderr__ or sys.stderr)


def _end(before_the_end: Callable[[], None]) -> None:
    faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr, all_threads=True)
    try:
        before_the_end()
    finally:
        os._exit(EXIT_CODE)
