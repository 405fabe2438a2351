"""An fsynced record of every call to an actor, for proving that no work is repeated: set MIEN_CALL_LOG to a folder.

Each process appends to its own file, one JSON line before and one after a call: {"event", "actor", "shard", "units": {stage id: n}}.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "MIEN_CALL_LOG"


def folder_of_calls() -> str:
    """The folder that the environment names, or "": the driver's environment counts, wherever its workers run."""
    return os.environ.get(VARIABLE, "")


class CallLog:
    """Appends to `<folder>/<pid>.jsonl`; does nothing without a folder."""

    def __init__(self, folder: str = "") -> None:
        self._path = Path(folder) / f"{os.getpid()}.jsonl" if folder else None

    @contextmanager
    def call(self, actor: str, shard: str, units: Mapping[str, int]) -> Iterator[None]:
        """Note the start and the end of one call."""
        self._write("start", actor, shard, units)
        yield
        self._write("end", actor, shard, units)

    def _write(self, event: str, actor: str, shard: str, units: Mapping[str, int]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps({"event": event, "actor": actor, "shard": shard, "units": dict(units)}) + "\n")
            file.flush()
            os.fsync(file.fileno())


def units_asked(folder: Path, event: str = "start") -> Counter[str]:
    """Stage id -> units that calls were started (or ended) for, over all processes."""
    total: Counter[str] = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            if entry["event"] == event:
                total.update(entry["units"])
    return total
