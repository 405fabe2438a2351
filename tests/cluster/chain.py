"""`experiments/chain.yaml` on a cluster against a real S3 server, a node killed in the middle of every kind of stage.

`python -m tests.cluster.chain`: minutes, since every kill costs models that are loaded again. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from engine.errors import MienError
from engine.outcome import Failed
from engine.rows import Row
from engine.stage import Stage
from engine.store.plans import Shard
from engine.store.results import Results
from jobs.interrupts import listen
from jobs.opened_run import OpenedRun, open_run
from jobs.s3_server import LocalS3
from tests.cluster.checks import Ended, consistent_lineage
from tests.cluster.cluster import ROOT, ManyNodes, Node
from tests.cluster.running import Driver
from tests.cluster.testbed import environment_of

NAME = "chain"
LIMIT_S = 1800.0
POLL_S = 0.01


def main(arguments: Sequence[str]) -> int:
    """Run the chain under kills; 0 if everything is there and exact."""
    parser = argparse.ArgumentParser(description="Kill a node in every kind of stage of experiments/chain.yaml.")
    parser.add_argument("--experiment", type=Path, default=ROOT / "experiments" / "chain.yaml")
    given = parser.parse_args(arguments)
    listen()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mien-chain-")))
        server = stack.enter_context(LocalS3(folder / "s3"))
        stack.enter_context(environment_of(server.environment))
        cluster = stack.enter_context(ManyNodes(server.environment))
        line = Killing(cluster, server.uri(prefix=NAME), folder, given.experiment).run()
    print(json.dumps(line))
    return 0 if not line["wrong"] and not line["missed"] else 1


class Killing:
    """One run, and what is done to it."""

    def __init__(self, cluster: ManyNodes, store: str, folder: Path, experiment: Path) -> None:
        self._cluster, self._store, self._folder, self._experiment = cluster, store, folder, experiment
        self._drivers: list[Driver] = []
        self._happened: dict[str, float] = {}
        self._run: OpenedRun | None = None

    def run(self) -> dict[str, Any]:
        """Until a driver ends with 0, or with 3: a small model's reply that is no prompt fails what reads it."""
        began = time.monotonic()
        self._start()
        try:
            while (code := self._drivers[-1].process.poll()) not in (0, 3):
                if time.monotonic() - began > LIMIT_S or len(self._drivers) > 12:
                    raise AssertionError(f"no end; {self._happened}; the last driver said:\n{self._drivers[-1].output[-2000:]}")
                if code is not None:
                    self._start()
                self._kill_one(began)
                time.sleep(POLL_S)
        finally:
            self._drivers[-1].kill()
        # Nineteen kills in a few minutes may meet one unit three times, which then ends as killed-worker: the documented way is to retry.
        ended = self._drivers[-1].process.returncode
        retried = self._mien("retry", NAME, "--code", "killed-worker") if ended else None
        run = open_run(self._store, NAME)
        # Arithmetic is over in milliseconds: it is hit where it can be, and asked for only of models.
        kinds = list(
            dict.fromkeys(stage.kind for stage in run.workflow.stages if stage.actor not in (None, "scorer") and _has_units(run, stage))
        )
        latest = Latest(run.backend, run.plan, run.workflow)
        return {
            "seconds": round(time.monotonic() - began),
            "drivers": [driver.process.returncode for driver in self._drivers],
            "killed_in": {kind: round(seconds) for kind, seconds in self._happened.items()},
            "retry": retried,
            "missed": [kind for kind in kinds if kind not in self._happened],
            "units": sum(len(rows) for by_stage in latest.rows.values() for rows in by_stage.values()),
            "wrong": [*_failed(latest), *consistent_lineage(latest)][:10],
        }

    def _start(self) -> None:
        folder = self._folder / f"driver-{len(self._drivers)}"
        command = ["-m", "jobs.cli", "run", str(self._experiment), "--store", self._store]
        self._drivers.append(Driver.start(command, folder, self._cluster.environment))

    def _mien(self, *arguments: str) -> int:
        driver = Driver.start(
            ["-m", "jobs.cli", *arguments, "--store", self._store], self._folder / arguments[0], self._cluster.environment
        )
        return driver.process.wait()

    def _kill_one(self, began: float) -> None:
        """Kill the node of a worker that is in a kind of stage in which none was killed yet."""
        for pid, kind in self._at_work():
            if kind in self._happened:
                continue
            if (node := self._node_of(pid)) is not None:
                self._cluster.kill_node(node)
                self._cluster.add_node()
                self._happened[kind] = time.monotonic() - began
                print(f"{self._happened[kind]:.0f} s: killed the node of a worker in {kind}", file=sys.stderr, flush=True)
                return

    def _at_work(self) -> Iterator[tuple[int, str]]:
        """(pid, kind of stage) of calls that have begun and not ended."""
        kinds = self._kinds()
        for path in self._drivers[-1].calls.glob("*.jsonl"):
            last = path.read_text().rstrip().rsplit("\n", 1)[-1]
            try:
                entry = json.loads(last)
            except json.JSONDecodeError:
                continue
            if entry["event"] == "start":
                yield from ((int(path.stem), kinds[stage]) for stage in entry["units"] if stage in kinds)

    def _kinds(self) -> dict[str, str]:
        if self._run is None:
            try:
                self._run = open_run(self._store, NAME)
            except MienError:
                return {}
        return {stage.id: stage.kind for stage in self._run.workflow.stages}

    def _node_of(self, pid: int) -> Node | None:
        try:
            above = {parent.pid for parent in psutil.Process(pid).parents()}
        except psutil.NoSuchProcess:
            return None
        return next((node for node in self._cluster.nodes if node.raylet in above), None)


class Latest(Ended):
    """A run's rows with what was retried."""

    @cached_property
    def rows(self) -> dict[str, dict[str, dict[str, Row[Any]]]]:
        results = Results(self.backend)

        def read(shard: Shard, stage: Stage[Any]) -> dict[str, Row[Any]]:
            return results.read(stage, shard.key, overlays=results.highest(stage, shard.key, known=None) or 0)

        return {shard.key: {stage.id: read(shard, stage) for stage in self.stages} for shard in self.plan.shards}


def _has_units(run: OpenedRun, stage: Stage[Any]) -> bool:
    return any(run.workflow.units(shard, stage) for shard in run.plan.shards)


def _failed(ended: Ended) -> list[str]:
    """Units that are missing or failed: a small model's reply may be no verdict, but a kill must not cost one."""
    wrong = []
    for shard in ended.plan.shards:
        for stage in ended.stages:
            rows = ended.rows[shard.key][stage.id]
            units = {unit.key for unit in ended.workflow.units(shard, stage)}
            wrong += [f"{stage.id}: {len(units ^ set(rows))} units missing or too many"] if units != set(rows) else []
            failed = [row.outcome for row in rows.values() if isinstance(row.outcome, Failed)]
            wrong += [f"{stage.id}: {outcome.code}" for outcome in failed if not outcome.code.endswith(("unparsed", "refused"))]
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
