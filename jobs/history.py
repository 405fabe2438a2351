"""What a run took, from its journal: sessions of drivers, their times, and the workers' seconds by stage.

A killed session leaves out what it had not journalled yet; results themselves are counted from the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from engine.generation.chat import Spent
from engine.report.data import Operations
from engine.store.journal import Event


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

    @property
    def retried_passes(self) -> int:
        """Its passes that tried failed rows again."""
        return sum(event["event"] == "pass" and bool(event["retry"]) for event in self.events)

    @property
    def last_pass(self) -> tuple[bool, int, int]:
        """Of its last pass: whether it tries failed rows again, shards done, shards in all; (False, 0, 0) before the first."""
        starts = [index for index, event in enumerate(self.events) if event["event"] == "pass"]
        if not starts:
            return False, 0, 0
        begin = self.events[starts[-1]]
        return bool(begin["retry"]), sum(event["event"] == "shard" for event in self.events[starts[-1] :]), int(begin["shards"])


def sessions(events: Iterable[Event]) -> list[Session]:
    """The driver sessions that a run's events tell of, in order."""
    groups: list[list[Event]] = []
    for event in events:
        if event["event"] == "driver" or not groups:
            groups.append([])
        groups[-1].append(event)
    return [Session(tuple(group)) for group in groups]


def begun_again(found: Sequence[Session]) -> int:
    """Shards whose work was cut short and begun again, after a lost worker or an interrupted driver: those with more than one attempt."""
    return len({event["shard"] for session in found for event in session.shards if event.get("attempt", 1) > 1})


def stage_seconds(events: Iterable[Event]) -> dict[str, float]:
    """Process seconds of a run's workers by kind of stage, the longest first."""
    seconds: dict[str, float] = {}
    for stage, _, spent in _stages(sessions(events)):
        kind = stage.partition("-")[0]
        seconds[kind] = seconds.get(kind, 0.0) + spent
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))


def operations(events: Sequence[Event]) -> Operations:
    """What a run took, over all its sessions."""
    found = sessions(events)
    seconds: dict[str, float] = {}
    rows: dict[str, int] = {}
    for stage, count, spent in _stages(found):
        seconds[stage] = seconds.get(stage, 0.0) + spent
        rows[stage] = rows.get(stage, 0) + count
    for event in events:
        if event["event"] == "phase":
            name = f"driver: {event['name']}"
            seconds[name] = seconds.get(name, 0.0) + event["seconds"]
    times = [float(event["at"]) for event in events]
    span = [datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") for at in (min(times), max(times))] if times else ["", ""]
    return Operations(
        wall_seconds=sum(session.seconds for session in found) or None,
        stage_seconds=seconds,
        rows=rows,
        retries=sum(session.retried_passes for session in found),
        started=span[0],
        ended=span[1],
        nodes=tuple(sorted({str(event[key]) for event in events for key in ("host", "node") if event.get(key)})),
        sessions=len(found),
        interrupted=sum(not session.ended for session in found),
        begun_again=begun_again(found),
        requests=sum(int(event.get("requests", 0)) for event in events),
        spent=spent_by_writer(events),
    )


def spent_by_writer(events: Iterable[Event]) -> dict[str, Spent]:
    """What the language models of a run have used, by writer, as journalled: what a killed process had not told yet is missing."""
    found: dict[str, Spent] = {}
    for event in events:
        for actor, *numbers in event.get("spent", []):
            name = actor.partition(":")[2] or actor
            found[name] = found.get(name, Spent()) + Spent(*numbers)
    return found


def _stages(found: Sequence[Session]) -> Iterator[tuple[str, int, float]]:
    """(stage, rows, process seconds) of every shard event."""
    for session in found:
        for event in session.shards:
            for stage, rows, _, spent in event["stages"]:
                yield stage, rows, spent
