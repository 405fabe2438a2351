"""Writes that outlive their sender: what a lost worker sent last reaches the server after its work was done again (STORAGE, zombies)."""

from __future__ import annotations

import threading
import time

from tests.faults.proxy import FaultProxy

CAUGHT_S = 0.7
"""How long to wait for commits to catch."""


class LateProxy(FaultProxy):
    """A FaultProxy that can keep the commits under way."""

    def __init__(self, target: str, seed: int, rates: dict[str, float]) -> None:
        self._keep_s = 0.0
        self._kept, self._arrived = 0, 0
        self._change = threading.Condition()
        super().__init__(target, seed, rates)

    def decide(self, method: str, path: str, conditional: bool) -> str | None:
        """What the request meets; a commit that is kept waits here, in whole, and goes on whether or not its sender still lives."""
        with self._change:
            keep_s = self._keep_s if conditional and "/results/" in path else 0.0
            if keep_s:
                self._kept += 1
                self._change.notify_all()
        if keep_s:
            time.sleep(keep_s)
            with self._change:
                self._arrived += 1
                self._change.notify_all()
        return super().decide(method, path, conditional)

    def catch(self, writers: int, seconds: float) -> int:
        """Keep commits for `seconds` until one of each of `writers` was caught; returns how many were. Later ones pass."""
        with self._change:
            before, self._keep_s = self._kept, seconds
            self._change.wait_for(lambda: self._kept - before >= writers, CAUGHT_S)
            self._keep_s = 0.0
            return self._kept - before

    def let_arrive(self) -> None:
        """Wait until every commit that was kept is on its way."""
        with self._change:
            self._change.wait_for(lambda: self._arrived == self._kept)
