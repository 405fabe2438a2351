"""The process that owns a many-node Ray cluster on this machine: `python -m tests.cluster.nodes`.

Commands are JSON lines on stdin, each answered by one JSON line on stdout; it ends, with everything it started, when stdin closes. A
process of its own, since Ray ties its servers to the thread that started them and a node takes a second or two to start.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import Any, TextIO

OBJECT_STORE_BYTES = 80 * 2**20
HEAD = "127.0.0.2"
"""Not 127.0.0.1: Ray would put this machine's outside address in its place, and listen there."""


class Nodes:
    """A head without CPUs, and worker nodes by number."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._common = {"object_store_memory": OBJECT_STORE_BYTES, "include_log_monitor": False}
        head = {"num_cpus": 0, "include_dashboard": False, "no_monitor": True, "node_ip_address": HEAD, **self._common}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._nodes: dict[int, Any] = {}
        self._next = 0

    def address(self) -> dict[str, Any]:
        """Where drivers join."""
        return {"address": self._cluster.address}

    def add(self) -> dict[str, Any]:
        """Start a node with one CPU; it joins within a second or two."""
        address = f"127.0.{self._next // 200 + 1}.{self._next % 200 + 1}"  # each node a host of its own
        node = self._cluster.add_node(wait=False, num_cpus=1, node_ip_address=address, **self._common)
        self._nodes[self._next] = node
        self._next += 1
        return {"node": self._next - 1, "raylet": node.all_processes["raylet"][0].process.pid, "id": node.node_id}

    def forget(self, node: int) -> dict[str, Any]:
        """Reap the processes of a node that was killed from outside."""
        self._cluster.remove_node(self._nodes.pop(node), allow_graceful=False)
        return {}

    def drain(self, node: int, seconds: float) -> dict[str, Any]:
        """Tell Ray that a node will be preempted in `seconds`, as a spot notice does."""
        from ray._raylet import GcsClient
        from ray.core.generated import autoscaler_pb2

        client = GcsClient(address=self._cluster.address)
        reason = autoscaler_pb2.DrainNodeReason.Value("DRAIN_NODE_REASON_PREEMPTION")
        deadline_ms = int((time.time() + seconds) * 1000)
        accepted, why = client.drain_node(self._nodes[node].node_id, reason, "spot instance reclaimed", deadline_ms)
        return {"accepted": accepted, "why": why}

    def alive(self) -> dict[str, Any]:
        """The ids of the nodes that the cluster believes in, the head included."""
        return {"ids": sorted(self._cluster.global_state._live_node_ids())}

    def stop(self) -> None:
        """End every process that was started here."""
        self._cluster.shutdown()


def serve(replies: TextIO) -> None:
    """Answer commands until stdin closes."""
    nodes = Nodes()
    try:
        for line in sys.stdin:
            command = json.loads(line)
            answer = getattr(nodes, command.pop("do"))(**command)
            print(json.dumps(answer), file=replies, flush=True)
    finally:
        nodes.stop()


if __name__ == "__main__":
    stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # Ray's own talk must not stand between the answers
        serve(stdout)
