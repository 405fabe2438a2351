"""How many requests may be in flight: at most 16, half as many when the server says "slow down", and slowly more again.

boto3's own adaptive mode limits the *rate* to twice that of the last seconds. A worker that commits once in ten seconds is then held to a
request in two seconds after a single 503; with 1 in 33 requests told to slow down, 800 creates took 129 s, and 17 s this way.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.store.s3_errors import SlowedDown


class Pace:
    """Turns for requests; additive increase and multiplicative decrease (AIMD), as TCP shares a line."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._in_flight = 0
        self._slowings = 0
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """Requests that may be in flight now."""
        return int(self._limit)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and hold it. SlowedDown raised inside halves the limit."""
        with self._changed:
            self._changed.wait_for(lambda: self._in_flight < self.limit)
            self._in_flight += 1
            slowings = self._slowings
        slowed = False
        try:
            yield
        except SlowedDown:
            slowed = True
            raise
        finally:
            with self._changed:
                self._in_flight -= 1
                if not slowed:
                    self._limit = min(float(self._most), self._limit + 1 / self._limit)
                elif slowings == self._slowings:  # a request from before the last slowing tells nothing about the pace since
                    self._slowings += 1
                    self._limit = max(1.0, self._limit / 2)
                self._changed.notify_all()
