"""What the driver saw, in chunks that are never changed: progress, times, calls, failures (STORAGE, Layout).

Written by the driver only. `mien watch` and `mien status` read it and the store's listing, so they work after the cluster is gone.
"""

from __future__ import annotations

import json
import time
from typing import Any, TypeAlias

from engine.store import names
from engine.store.backend import Backend

CHUNK_S = 2.0
CHUNK_EVENTS = 500

Event: TypeAlias = dict[str, Any]
"""One line of a journal: "at" (the driver's Unix seconds), "event" (what happened) and its facts."""


class Journal:
    """Appends events. A chunk is written with the event that finds it 2 s old or 500 events long, with the first, and on `flush`."""

    def __init__(self, backend: Backend, run: str, epoch: int) -> None:
        self._backend, self._run, self._epoch = backend, run, epoch
        self._events: list[str] = []
        self._chunk = 0
        self._opened = float("-inf")  # who watches sees a driver from its first event on

    def add(self, event: str, **facts: Any) -> None:
        """Note an event with its facts (JSON values) and the driver's time."""
        # Escaped, since a command line may hold bytes that are no text.
        self._events.append(json.dumps({"at": round(time.time(), 3), "event": event, **facts}))
        if len(self._events) >= CHUNK_EVENTS or time.monotonic() - self._opened > CHUNK_S:
            self.flush()

    def flush(self, *, patience_s: float | None = None) -> None:
        """Write what is pending; `patience_s`: how long an absent store is waited for, instead of its own patience."""
        if self._events:
            data = ("\n".join(self._events) + "\n").encode()
            backend = self._backend if patience_s is None else self._backend.with_patience(patience_s)
            backend.create(names.run(self._run, "journal", f"{self._epoch:08d}-{self._chunk:08d}.jsonl"), data)
            self._events.clear()
            self._chunk += 1
        self._opened = time.monotonic()


class JournalReader:
    """Follows a run's journal: chunks never change, so each is read once, and a look costs one listing and what is new."""

    def __init__(self, backend: Backend, run: str) -> None:
        self._backend, self._prefix = backend, names.run(run, "journal") + "/"
        self._chunks: dict[str, list[Event]] = {}

    def look(self) -> list[Event]:
        """Read the chunks that were not there at the last look; returns their events, in order of the chunks' names."""
        new = [name for name in self._backend.list(self._prefix) if name not in self._chunks]
        for name, chunk in self._backend.read_many(new):
            self._chunks[name] = _events(chunk)
        return [event for name in new for event in self._chunks[name]]

    def events(self) -> list[Event]:
        """Everything read so far, by epoch and then chunk: what a driver that lost its lease wrote late stands in its own session."""
        return [event for name in sorted(self._chunks) for event in self._chunks[name]]


def read_journal(backend: Backend, run: str) -> list[Event]:
    """All events of a run in order."""
    return JournalReader(backend, run).look()


def _events(chunk: bytes) -> list[Event]:
    """The events of a chunk. A line that cannot be read is skipped: the journal informs, it decides nothing."""
    found: list[Event] = []
    for line in chunk.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str) and isinstance(event.get("at"), int | float):
            found.append(event)
    return found
