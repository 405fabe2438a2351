"""Ends the process of a call that never returns: nothing in the process itself can (STORAGE, rule 6)."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EXIT_CODE = 1
GRACE_S = 30.0
"""After the limit, for a process whose interpreter is stuck too: C code that never lets go of it."""


class Watchdog:
    """Watches one call at a time; a call over `limit_s` seconds ends the process with a traceback of every thread in its log."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s

    @contextmanager
    def watching(self, before_the_end: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Watch what happens inside. `before_the_end` is called before the process ends, if it still can be."""
        timer = threading.Timer(self._limit_s, _end, [before_the_end])
        timer.daemon = True
        timer.start()
        # A thread of C code: it needs no interpreter, and is also there when `before_the_end` itself hangs.
        faulthandler.dump_traceback_later(self._limit_s + GRACE_S, exit=True, file=sys.__stderr__ or sys.stderr)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            timer.cancel()


def _end(before_the_end: Callable[[], None]) -> None:
    faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr, all_threads=True)
    try:
        before_the_end()
    finally:
        os._exit(EXIT_CODE)
