"""Real `mien run` processes on a real local Ray, for the tests that need them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jobs.call_log import VARIABLE
from jobs.opened_run import OpenedRun, open_run

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Experiment:
    """One experiment file, and where its runs go."""

    folder: Path
    people: int
    shard_size: int
    choices: str = "methods: [baseline, vprag]\nsecond_encoder: ''"
    """A method to fail at, all controls and both phases, at half the cost of all there is."""

    @property
    def file(self) -> Path:
        path = self.folder / "experiment.yaml"
        if not path.exists():
            path.write_text(f"name: small\nshard_size: {self.shard_size}\npeople: {{grammar: {self.people}}}\n{self.choices}\n")
        return path

    def start(self, store: str, *options: str, log: str = "calls") -> subprocess.Popen[str]:
        """`mien run` in the background; its calls are logged under `log`."""
        command = [sys.executable, "-m", "jobs.cli", "run", str(self.file), "--store", str(self.folder / store), *options]
        environment = {**os.environ, VARIABLE: str(self.folder / f"{store}-{log}"), "RAY_AUTH_MODE": "disabled"}
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, store: str, *options: str, log: str = "calls") -> tuple[int, str]:
        """`mien run` to its end: (exit code, what it printed)."""
        process = self.start(store, *options, log=log)
        output, _ = process.communicate(timeout=240)
        return process.returncode, output

    def calls(self, store: str, log: str = "calls") -> Path:
        """The folder of a store's call log."""
        return self.folder / f"{store}-{log}"

    def opened(self, store: str, name: str = "small") -> OpenedRun:
        """The run in a store."""
        return open_run(str(self.folder / store), name)

    def report(self, store: str, file: str, name: str = "small") -> bytes:
        """A file of a run's report."""
        run = self.opened(store, name)
        return run.backend.read(f"runs/{run.plan.run}/report/{file}")


def results_in(store: Path) -> int:
    """Result files that workers committed."""
    return sum(1 for path in (store / "results").rglob("*.parquet") if not path.parent.name.startswith(("people", "queries")))


def kill_when(
    process: subprocess.Popen[str], store: Path, wanted: int, timeout_s: float = 120, count: Callable[[Path], int] = results_in
) -> int:
    """SIGKILL the driver as soon as the store has `wanted` of what `count` counts; returns how many there were just before."""
    deadline = time.monotonic() + timeout_s
    while (have := count(store)) < wanted:
        if process.poll() is not None:
            raise AssertionError(f"the run ended before it could be killed: {process.communicate()[0]}")
        if time.monotonic() > deadline:
            raise AssertionError("the run did not get that far")
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return have
