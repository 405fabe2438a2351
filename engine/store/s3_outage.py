"""What people hear of a store that does not answer: one line, one more a minute, and one when it answers again.

All threads of a client wait for the same server: each telling of its own wait would be one message many times.
"""

from __future__ import annotations

import logging
import math
import time

from engine.store.fork_lock import ForkLock

TOLD_AFTER_S = 10.0
"""A shorter absence is not worth a line."""
AGAIN_S = 60.0

_log = logging.getLogger(__name__)
_lock = ForkLock()


class Outage:
    """Gathers the waits of all threads. Times that it takes are those of `time.monotonic`, when a wait began."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._since = math.inf
        self._told_at = self._over_at = -math.inf

    def waits(self, began: float, patience_s: float, trouble: str) -> None:
        """One that waits failed again because of `trouble`, and tries until `patience_s` after it began."""
        with _lock:
            now, began = time.monotonic(), max(began, self._over_at)  # what came before is told of already
            if now - began <= TOLD_AFTER_S or now - self._told_at < AGAIN_S:
                return
            self._told_at, self._since = now, min(began, self._since)
            away_s = now - self._since
        _log.warning("waiting for the store %s, away for %.0f s, given up after %.0f s: %s", self._place, away_s, patience_s, trouble)

    def answered(self, began: float) -> None:
        """One that waited has its answer."""
        with _lock:
            now = time.monotonic()
            explained = began < self._over_at and self._told_at <= self._over_at  # it paused while others heard the same
            began = max(began, self._over_at)
            if explained or now - began <= TOLD_AFTER_S:
                return
            away_s = now - min(began, self._since)
            self._over_at, self._since = now, math.inf
        _log.warning("the store %s answers again after %.0f s", self._place, away_s)

    def given_up(self) -> None:
        """One that waited does so no more: the next outage is another one."""
        with _lock:
            self._since = math.inf
