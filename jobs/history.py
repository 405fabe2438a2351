"""What a run took, from its journal: sessions of drivers, their times, and the workers' seconds by stage.

A killed session leaves out what it had not journalled yet, two seconds at most; results themselves are counted from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from engine.report.data import Operations
from engine.store.backend import Backend
from engine.store.journal import read_journal

Event: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """One driver's work on a run."""

    events: tuple[Event, ...]

    @property
    def ended(self) -> bool:
        """Whether it came to its own end."""
        return any(event["event"] == "end" for event in self.events)

    @property
    def seconds(self) -> float:
        """Wall seconds: its own count if it ended, else from its first to its last event."""
        own = [float(event["seconds"]) for event in self.events if event["event"] == "end"]
        return own[0] if own else float(self.events[-1]["at"]) - float(self.events[0]["at"])

    @property
    def shards(self) -> list[Event]:
        """Its shard events."""
        return [event for event in self.events if event["event"] == "shard"]

    @property
    def pace(self) -> float:
        """People per second between its first and last shard; 0 if that cannot be told."""
        done = self.shards
        span = float(done[-1]["at"]) - float(done[0]["at"]) if len(done) > 1 else 0.0
        # The first event only opens the span.
        return sum(event["people"] for event in done[1:]) / span if span > 0 else 0.0


def sessions(backend: Backend, run: str) -> list[Session]:
    """A run's driver sessions in order."""
    groups: list[list[Event]] = []
    for event in read_journal(backend, run):
        if event["event"] == "driver" or not groups:
            groups.append([])
        groups[-1].append(event)
    return [Session(tuple(group)) for group in groups]


def stage_seconds(backend: Backend, run: str) -> dict[str, float]:
    """Process seconds of a run's workers by kind of stage, the longest first."""
    seconds: dict[str, float] = {}
    for stage, _, spent in _stages(sessions(backend, run)):
        kind = stage.partition("-")[0]
        seconds[kind] = seconds.get(kind, 0.0) + spent
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))


def operations(backend: Backend, run: str) -> Operations:
    """What the run took, over all its sessions."""
    found = sessions(backend, run)
    seconds: dict[str, float] = {}
    rows: dict[str, int] = {}
    for stage, count, spent in _stages(found):
        seconds[stage] = seconds.get(stage, 0.0) + spent
        rows[stage] = rows.get(stage, 0) + count
    events = [event for session in found for event in session.events]
    for event in events:
        if event["event"] == "phase":
            name = f"driver: {event['name']}"
            seconds[name] = seconds.get(name, 0.0) + event["seconds"]
    times = [float(event["at"]) for event in events]
    span = [datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") for at in (min(times), max(times))] if times else ["", ""]
    return Operations(
        wall_seconds=sum(session.seconds for session in found) or None,
        stage_seconds=seconds,
        model_calls=rows,
        retries=sum(event["event"] == "pass" and bool(event["retry"]) for event in events),
        started=span[0],
        ended=span[1],
        nodes=tuple(sorted({str(event["host"]) for event in events if event["event"] == "driver"})),
        sessions=len(found),
        interrupted=sum(not session.ended for session in found),
    )


def _stages(found: Sequence[Session]) -> Iterator[tuple[str, int, float]]:
    """(stage, rows, process seconds) of every shard event."""
    for session in found:
        for event in session.shards:
            for stage, rows, _, spent in event["stages"]:
                yield stage, rows, spent
