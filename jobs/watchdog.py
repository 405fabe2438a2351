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
    """Watches calls of any thread; one that shows no sign of life for `limit_s` seconds ends the process with a traceback of every thread
    in its log."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._begun: dict[int, float] = {}

    @contextmanager
    def watching(self, before_the_end: Callable[[], None] = lambda: None, progress: Callable[[], int] = lambda: 0) -> Iterator[None]:
        """Watch what happens inside. `before_the_end` is called before the process ends, if it still can be.

        `progress` counts what the call has done so far (images drawn, replies): as long as it changes within the limit the call lives.
        """
        number, returned = next(self._numbers), threading.Event()
        self._arm(lambda: self._begun.update({number: time.monotonic()}))
        watcher = threading.Thread(target=self._watch, args=(number, returned, before_the_end, progress), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            returned.set()
            watcher.join()
            self._arm(lambda: self._begun.pop(number))

    def _watch(self, number: int, returned: threading.Event, before_the_end: Callable[[], None], progress: Callable[[], int]) -> None:
        seen = progress()
        while not returned.wait(self._limit_s):
            if (now := progress()) == seen:
                _end(before_the_end)
            seen = now
            self._arm(lambda: self._begun.update({number: time.monotonic()}))

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
