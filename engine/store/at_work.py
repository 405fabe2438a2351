"""Which drivers may be at work in a store: what `mien gc` asks before it takes anything away (STORAGE, rule 9).

As in `engine.store.lease` no clocks are compared: a beat that changed between two looks has an owner who is at work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from engine.errors import LeaseHeld
from engine.store.backend import Backend
from engine.store.lease import BEAT_S, Lease, latest_epochs

WATCH_S = BEAT_S + 1.0
"""Seconds between two looks that show whether a beat moves."""

Held: TypeAlias = Mapping[str, tuple[int, bytes]]
"""Run -> (epoch, last beat) of each lease that may be held; an empty beat if none was written yet."""


class Drivers:
    """Looks at the leases of all runs, and remembers those that are over: they do not come back under the same epoch."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._over: set[tuple[str, int]] = set()

    def look(self, files: Iterable[str]) -> Held:
        """The leases among `files` (a listing of runs/) that are neither released nor held by a process of this host that is dead."""
        held: dict[str, tuple[int, bytes]] = {}
        for run, epoch in sorted(latest_epochs(files).items()):
            if (run, epoch) in self._over:
                continue
            lease = Lease(self._backend, run)
            beat = lease.beat(epoch) or b""
            if lease.is_released_or_dead(epoch):
                self._over.add((run, epoch))
            else:
                held[run] = (epoch, beat)
        return held


def refuse_at_work(before: Held, now: Held) -> None:
    """Raise LeaseHeld if a lease was taken, or a beat moved, between two looks."""
    for run, seen in now.items():
        if before.get(run) != seen:
            raise LeaseHeld(
                f"Run {run} is being worked on: its beat moves. Nothing more is deleted while a driver is at work in this store.",
                remedy=f"Run the same command again when it has ended; `mien watch {run}` with this --store shows it.",
            )
