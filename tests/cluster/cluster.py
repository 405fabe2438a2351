"""A Ray cluster of many nodes on one machine, whose nodes and workers can be killed at will."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]
AT_REST = 2
"""Worker nodes between schedules: one CPU each, so one worker each."""

DETECTED_S = 30.0
"""Longest wait until the cluster has seen a node come or go."""

SETTINGS = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",
    # A dead raylet refuses its connection at once and is known to be dead after three such checks; one that is only slow has seconds.
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "300",
    "RAY_health_check_timeout_ms": "8000",
    "RAY_health_check_failure_threshold": "3",
}


class ClusterBroken(Exception):
    """The cluster itself does not work any more: nothing that a run did wrong."""


@dataclass(frozen=True, slots=True)
class Node:
    """A worker node: its number, its raylet's pid and its id in the cluster."""

    number: int
    raylet: int
    id: str


class ManyNodes:
    """`with ManyNodes(environment) as cluster`: a head and AT_REST worker nodes; everything it started is gone afterwards."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.mkdtemp(prefix="mien-")  # short: sockets are made under it
        paths = {"RAY_TMPDIR": self._folder, "PYTHONPATH": str(ROOT)}
        self._log = (Path(self._folder) / "nodes.log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.nodes"],
            cwd=ROOT,
            env={**os.environ, **SETTINGS, **paths, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,  # Ctrl-C is for us, who end it
        )
        self._commands = threading.Lock()
        self._starting = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nodes")
        self._pending: list[Future[Node]] = []
        self._nodes: dict[int, Node] = {}
        self.address = ""

    def __enter__(self) -> ManyNodes:
        try:
            self.address = self._ask("address")["address"]
            self._head = set(self._ask("alive")["ids"])
            self.settle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._starting.shutdown(wait=True)
        ours = _tree(self._process.pid)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()
        kill(ours)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        """What a driver needs to join."""
        return {**SETTINGS, "RAY_ADDRESS": self.address}

    @property
    def nodes(self) -> list[Node]:
        """The worker nodes that have started, oldest first."""
        for future in [each for each in self._pending if each.done()]:
            self._pending.remove(future)
            node = future.result()
            self._nodes[node.number] = node
        return [self._nodes[number] for number in sorted(self._nodes)]

    def add_node(self) -> None:
        """Start one more node; returns at once, it joins in a second or two."""
        self._pending.append(self._starting.submit(self._start))

    def kill_node(self, node: Node) -> list[int]:
        """A node is gone from one moment to the next; returns the pids of the workers that it took along."""
        del self._nodes[node.number]
        processes = _tree(node.raylet)
        lost = [each.pid for each in processes if _is_ours(each)]
        kill(processes)
        self._starting.submit(self._ask, "forget", node=node.number)
        return lost

    def drain_node(self, node: Node, seconds: float) -> None:
        """A spot notice: Ray may move work away for `seconds`; killing the node then is the caller's."""
        answer = self._ask("drain", node=node.number, seconds=seconds)
        if not answer["accepted"]:
            raise ClusterBroken(f"the drain was refused: {answer['why']}")

    def workers(self, node: Node | None = None) -> list[int]:
        """The pids of the worker processes that run our actors, on one node or on all."""
        return [process.pid for process in self._workers(node)]

    def kill_workers(self, node: Node | None = None) -> list[int]:
        """SIGKILL those; returns their pids. Ray makes others."""
        processes = self._workers(node)
        kill(processes)
        return [process.pid for process in processes]

    def _workers(self, node: Node | None) -> list[psutil.Process]:
        return [each for one in ([node] if node else self.nodes) for each in _tree(one.raylet) if _is_ours(each)]

    def settle(self) -> None:
        """Bring the cluster back to AT_REST nodes that it knows to be alive, and to nothing else."""
        for _ in range(AT_REST - len(self.nodes) - len(self._pending)):
            self.add_node()
        for future in list(self._pending):
            future.result()
        for node in self.nodes[AT_REST:]:
            self.kill_node(node)
        wanted = self._head | {node.id for node in self.nodes}
        deadline = time.monotonic() + DETECTED_S
        while (seen := set(self._ask("alive")["ids"])) != wanted:
            if time.monotonic() > deadline:
                raise ClusterBroken(f"the cluster sees {len(seen)} nodes, not {len(wanted)}")
            time.sleep(0.05)

    def _start(self) -> Node:
        answer = self._ask("add")
        return Node(answer["node"], answer["raylet"], answer["id"])

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._commands:
            print(json.dumps({"do": do, **arguments}), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        if not line:
            raise ClusterBroken(f"the cluster's process ended: {(Path(self._folder) / 'nodes.log').read_text()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def kill(processes: Iterable[psutil.Process]) -> None:
    """SIGKILL exactly these; psutil compares start times, so a reused pid is left alone."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _tree(pid: int) -> list[psutil.Process]:
    """A process and all below it, the process first: a raylet that is gone cannot replace its workers."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _is_ours(process: psutil.Process) -> bool:
    try:
        return any("MapWorker" in part or "ShardWorker" in part for part in process.cmdline()[:1])
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
