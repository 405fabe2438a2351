"""What the driver saw, in chunks that are never changed: progress, times, calls, failures (STORAGE, Layout).

Written by the driver only. `mien watch` and `mien status` read nothing else, so they work after the cluster is gone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from engine.store import names
from engine.store.backend import Backend

CHUNK_S = 2.0
CHUNK_EVENTS = 500


class Journal:
    """Appends events; a chunk is written when it is 2 s old or 500 events long, and on `flush`."""

    def __init__(self, backend: Backend, run: str, epoch: int) -> None:
        self._backend, self._run, self._epoch = backend, run, epoch
        self._events: list[str] = []
        self._chunk = 0
        self._opened = time.monotonic()

    def add(self, event: str, **facts: Any) -> None:
        """Note an event with its facts (JSON values) and the driver's time."""
        self._events.append(json.dumps({"at": round(time.time(), 3), "event": event, **facts}, ensure_ascii=False))
        if len(self._events) >= CHUNK_EVENTS or time.monotonic() - self._opened > CHUNK_S:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        if self._events:
            data = ("\n".join(self._events) + "\n").encode()
            self._backend.create(names.run(self._run, "journal", f"{self._epoch:08d}-{self._chunk:08d}.jsonl"), data)
            self._events.clear()
            self._chunk += 1
        self._opened = time.monotonic()


def read_journal(backend: Backend, run: str) -> Iterator[dict[str, Any]]:
    """All events of a run in order. A line that cannot be read is skipped: the journal informs, it decides nothing."""
    for name in backend.list(names.run(run, "journal") + "/"):
        for line in backend.read(name).decode(errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event
