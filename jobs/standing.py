"""How far a run is: what the store holds, counted from one listing, and then from the journal as it grows."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.store import names
from engine.store.at_work import Drivers
from engine.store.backend import Backend
from engine.store.journal import JournalReader
from engine.store.lease import BEAT_S, WATCH_S
from jobs.history import Session, begun_again, sessions
from jobs.opened_run import OpenedRun
from jobs.reporting import End, current_end


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a run is: results from the store, pace from the journal's last session."""

    results: int
    planned: int
    people: int
    people_done: int
    at_work: bool
    sessions: tuple[Session, ...]
    end: End | None
    """The report's end, if the store was listed for this look and the report is of just that."""

    @property
    def finished(self) -> bool:
        """Whether every result exists."""
        return self.results == self.planned

    @property
    def pace(self) -> float:
        """People per second of the driver at work; 0 if there is none or it cannot be told yet."""
        return self.sessions[-1].pace if self.at_work and self.sessions else 0.0

    @property
    def interrupted(self) -> int:
        """Sessions that were cut short; the one at work is none of them."""
        past = self.sessions[:-1] if self.at_work else self.sessions
        return sum(not session.ended for session in past)

    @property
    def retried_passes(self) -> int:
        """Passes that tried failed rows again."""
        return sum(session.retried_passes for session in self.sessions)

    @property
    def begun_again(self) -> int:
        """Shards that were begun again after an interruption."""
        return begun_again(self.sessions)

    def tempo(self, name: str) -> str:
        """What to expect, in words."""
        if not self.at_work:
            return f"no driver is at work; go on with the same mien run command (run {name})"
        again, done, shards = self.sessions[-1].last_pass if self.sessions else (False, 0, 0)
        if again and done < shards:
            return f"trying failed rows again: {done} of {shards} shards"
        if self.finished:
            return "every result is there; the driver is about to end"
        return f"{self.pace:.1f} people/s, about {(self.people - self.people_done) / self.pace:.0f} s left" if self.pace else "starting"

    def last(self) -> str:
        """The last thing its driver told, in words."""
        if not self.sessions:
            return "no journal yet"
        event = self.sessions[-1].events[-1]
        return f"{event['event']}, {max(0.0, time.time() - float(event['at'])):.0f} s ago"


class Follower:
    """Looks at a run again and again. Only `full` lists the results; between two of these, shards are counted from the journal."""

    def __init__(self, run: OpenedRun) -> None:
        self._run = run
        self._journal = JournalReader(run.backend, run.plan.run)
        self._holder = _Holder(run.backend, run.plan.run)
        self._missing: dict[int, int] = {}

    def full(self) -> Standing:
        """The journal, then the store's listing: what the first tells of is in the second."""
        news = bool(self._journal.look())
        progress, run = self._run.progress(), self._run
        stages = run.workflow.stages
        absent = {index: sum(not progress.is_done([stage], shard) for stage in stages) for index, shard in enumerate(run.plan.shards)}
        self._missing = {index: results for index, results in absent.items() if results}
        return self._standing(news=news, end=current_end(run.backend, run.workflow, run.plan, progress), ask=True)

    def look(self) -> Standing:
        """The journal alone: one listing of it and a read of each new chunk; the lease, too, while the journal is silent."""
        news = self._journal.look()
        for event in news:
            if event["event"] == "shard" and not event.get("again"):
                self._missing.pop(event["shard"], None)
        return self._standing(news=bool(news), end=None, ask=False)

    def _standing(self, *, news: bool, end: End | None, ask: bool) -> Standing:
        plan, found = self._run.plan, tuple(sessions(self._journal.events()))
        ended = bool(found) and found[-1].ended
        people = [len(shard.subjects) for shard in plan.shards]
        planned = len(self._run.workflow.stages) * len(plan.shards)
        return Standing(
            results=planned - sum(self._missing.values()),
            planned=planned,
            people=sum(people),
            people_done=sum(people) - sum(people[index] for index in self._missing),
            at_work=self._holder.is_at_work(news=news and not ended, ask=ask or ended),
            sessions=found,
            end=end,
        )


class _Holder:
    """Whether a run's driver lives: one that released its lease, or died on this host, is gone; any other is once its beat stops."""

    def __init__(self, backend: Backend, run: str) -> None:
        self._backend, self._lease = backend, names.run(run, "lease") + "/"
        self._drivers, self._held = Drivers(backend), dict[str, tuple[int, bytes]]()
        self._asked = self._moved = time.monotonic()

    def is_at_work(self, *, news: bool, ask: bool) -> bool:
        """`news` of the driver proves that it is; without, the lease is read: at once with `ask`, else every `BEAT_S` of silence."""
        now = time.monotonic()
        if news and not ask:
            self._asked = self._moved = now
            return True
        if not ask and now - self._asked < BEAT_S:
            return True
        held = dict(self._drivers.look(self._backend.list(self._lease)))
        if held != self._held:
            self._held, self._moved = held, now
        self._asked = now
        return bool(held) and now - self._moved < WATCH_S
