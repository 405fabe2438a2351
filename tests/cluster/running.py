"""One run under one schedule: a driver that joins the cluster, and a watcher that lets events happen as results are committed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.store.backend import Backend
from jobs.call_log import VARIABLE
from tests.cluster.cluster import ROOT, ManyNodes, Node
from tests.cluster.late import LateProxy
from tests.cluster.schedule import Event, Kind, Schedule

LIMIT_S = 90.0
"""A run that takes longer hangs."""

POLL_S = 0.02
LOOK_S = 0.1
"""Between two looks at the store: a listing costs its server as much as some results do."""

MAX_DRIVERS = 12


@dataclass
class Driver:
    """One `mien run`, with what it says in a file and the calls of its workers in a folder of its own."""

    folder: Path
    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls, command: list[str], folder: Path, environment: dict[str, str]) -> Driver:
        """Start a driver in the background."""
        folder.mkdir(parents=True)
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env={**os.environ, **environment, VARIABLE: str(folder / "calls")},
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for the watcher, which ends it
            )
        return cls(folder, process)

    @property
    def calls(self) -> Path:
        """Where its workers log their calls."""
        return self.folder / "calls"

    @property
    def output(self) -> str:
        """What it said."""
        return (self.folder / "output").read_text()

    def kill(self) -> None:
        """SIGKILL, reaped."""
        self.process.kill()
        self.process.wait()


@dataclass
class Run:
    """What was done to a run, and how it went."""

    drivers: list[Driver] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    """Events for which the run ended too early."""
    hit: set[int] = field(default_factory=set)
    """Pids of workers that were killed, or whose node was."""
    late_commits: int = 0
    """Commits whose senders were lost, and which arrived seconds later."""
    seconds: float = 0.0

    @property
    def exit_codes(self) -> list[int | None]:
        """Of each driver, in order."""
        return [driver.process.returncode for driver in self.drivers]


class Watcher:
    """Fires a schedule's events while drivers work, and starts a new driver for each that ended without success."""

    def __init__(
        self,
        schedule: Schedule,
        cluster: ManyNodes,
        store: Backend,
        proxy: LateProxy,
        planned: int,
        start: Callable[[int], Driver],
        outage: Callable[[float], None],
    ) -> None:
        self._cluster, self._store, self._planned = cluster, store, planned
        self._start, self._outage, self._proxy = start, outage, proxy
        self._events = list(schedule.events)
        self._later: list[tuple[float, Callable[[], object]]] = []
        self._leaving: list[Node] = []
        self._next_look = 0.0
        self._started = time.monotonic()
        self._run = Run()

    def watch(self) -> Run:
        """From the first driver to the one that ends with 0. Raises AssertionError if none does."""
        run = self._run
        run.drivers.append(self._start(0))
        try:
            while True:
                self._fire_due()
                self._do_later()
                driver = run.drivers[-1]
                if driver.process.poll() == 0:
                    break
                if driver.process.returncode is not None:
                    self._restart(driver)
                if time.monotonic() - self._started > LIMIT_S:
                    raise AssertionError(f"hangs after {LIMIT_S:.0f} s; {run.happened}; the last driver said:\n{driver.output[-2000:]}")
                time.sleep(POLL_S)
        finally:
            run.drivers[-1].kill()
            self._do_later(now=True)
            self._proxy.let_arrive()  # what was written late is part of what is checked
        run.seconds = time.monotonic() - self._started
        run.missed = [event.describe() for event in self._events]
        return run

    def _restart(self, ended: Driver) -> None:
        if len(self._run.drivers) == MAX_DRIVERS:
            raise AssertionError(
                f"{MAX_DRIVERS} drivers ended without success; the last with {ended.process.returncode}:\n{ended.output[-2000:]}"
            )
        self._run.drivers.append(self._start(len(self._run.drivers)))

    def _fire_due(self) -> None:
        if not self._events or time.monotonic() < self._next_look:
            return
        have = len(self._store.list("results/"))
        self._next_look = time.monotonic() + LOOK_S
        event = self._events[0]
        if have >= event.at * self._planned and self._fire(event):
            del self._events[0]
            self._run.happened.append(f"{event.describe()} ({have} of {self._planned} results, {time.monotonic() - self._started:.1f} s)")

    def _fire(self, event: Event) -> bool:
        """Let it happen; False if there is nothing yet that it could happen to."""
        if event.kind is Kind.STOP_S3:
            self._outage(event.seconds)
            return True
        if event.kind is Kind.KILL_DRIVER:
            caught = self._proxy.catch(len(self._cluster.workers()), event.seconds)
            self._run.drivers[-1].kill()
            self._run.late_commits += caught
            return True
        busy = [node for node in self._cluster.nodes if node not in self._leaving and self._cluster.workers(node)]
        if not busy:
            return False
        if event.kind is Kind.KILL_WORKERS:
            caught = self._proxy.catch(len(self._cluster.workers()), event.seconds)
            self._run.hit.update(self._cluster.kill_workers())
            self._run.late_commits += caught
            return True
        node = busy[event.pick % len(busy)]
        self._fire_at(event, node)
        return True

    def _fire_at(self, event: Event, node: Node) -> None:
        if event.kind is Kind.KILL_WORKER:
            self._run.hit.update(self._cluster.kill_workers(node))
            return
        if event.kind is Kind.KILL_NODE:
            self._run.hit.update(self._cluster.kill_node(node))
        else:
            self._run.hit.update(self._cluster.workers(node))  # from the notice on, Ray itself may end them
            self._cluster.drain_node(node, event.seconds)
            self._leaving.append(node)
            self._after(event.seconds, lambda: self._run.hit.update(self._cluster.kill_node(node)))
        self._cluster.add_node()

    def _after(self, seconds: float, do: Callable[[], object]) -> None:
        self._later.append((time.monotonic() + seconds, do))

    def _do_later(self, *, now: bool = False) -> None:
        for due, do in list(self._later):
            if now or time.monotonic() >= due:
                self._later.remove((due, do))
                do()
