"""Holding a run while working on it: its lease, and a journal that begins and is flushed however the work ends."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from engine.errors import StoreError
from engine.store.backend import Backend
from engine.store.journal import Journal
from engine.store.lease import LAST_WORDS_S, Lease


@dataclass(frozen=True, slots=True)
class Hold:
    """What a driver has while it works."""

    lease: Lease
    journal: Journal


@contextmanager
def driving(backend: Backend, run: str, *, command: str, notice: Callable[[str], None] = lambda _: None) -> Iterator[Hold]:
    """Hold `run`. Raises LeaseHeld if another driver is at work on it."""
    with Lease(backend, run, notice=notice) as lease:
        journal = Journal(backend, run, lease.epoch)
        journal.add("driver", host=socket.gethostname(), pid=os.getpid(), command=command)
        try:
            yield Hold(lease, journal)
        except BaseException:
            with suppress(StoreError):  # the first error is the one to tell, and soon
                journal.flush(patience_s=LAST_WORDS_S)
            raise
        journal.flush()
