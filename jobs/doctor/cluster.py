"""The nodes of a Ray cluster beside this machine: versions, models, store and clocks."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.errors import ClusterError, StoreError
from engine.store import names
from engine.store.backend import Backend
from jobs.doctor.finding import Finding, failed
from jobs.doctor.node import look
from jobs.doctor.packages import TOLD
from jobs.doctor.store import CLOCK_WARNS_S
from jobs.local_ray import RaySession

PATIENCE_S = 60.0
"""How long a node may take to answer: it may start its first process."""
UNREACHED = "Is its head node up (`ray status` there tells), this its address (--address, RAY_ADDRESS), and its port open to this machine?"
"""The error's own remedy sends people to these checks."""
MUST_AGREE = ("mien", "encoder")
"""With others two nodes would compute different results under one name; the rest may cause trouble."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node's address, what `look` told there or why it did not answer, and how far its clock is ahead of this machine's in seconds."""

    address: str
    told: Mapping[str, str]
    silent: str = ""
    ahead_s: float = 0.0
    within_s: float = 0.0
    """How far off `ahead_s` may be: half of the round trip."""


def check_cluster(address: str, backend: Backend, encoder: str) -> list[Finding]:
    """Compare every alive node with this machine; one finding if no cluster was asked for."""
    if not address:
        return [Finding("cluster", "ok", "no cluster asked for (--address or RAY_ADDRESS).")]
    probe, content = names.probe(), secrets.token_bytes(16)
    try:
        backend.create(probe, content)
    except StoreError as error:
        return [failed("cluster", error)]
    arguments = (backend.uri, probe, content, encoder)
    try:
        return list(compare(look(*arguments), _nodes(address, arguments)))
    except ClusterError as error:
        return [Finding("cluster", "fail", error.message, UNREACHED)]
    finally:
        with suppress(StoreError):  # `mien gc` removes old probes
            backend.delete(probe)


def compare(here: Mapping[str, str], nodes: list[Node]) -> Iterator[Finding]:
    """What differs between this machine and the nodes; pure, so every case can be shown."""
    alive = "1 node is alive." if len(nodes) == 1 else f"{len(nodes)} nodes are alive."
    yield Finding("cluster", "ok" if nodes else "fail", alive, "" if nodes else "Start a node with `ray start`.")
    for node in nodes:
        found = list(_differences(here, node))
        yield from found
        if not found:
            told = f"{node.address} ({node.told['host']}): the same versions and models, the store in reach, clock {node.ahead_s:+.1f} s."
            yield Finding("node", "ok", told)


def _differences(here: Mapping[str, str], node: Node) -> Iterator[Finding]:
    if node.silent:
        yield Finding("node", "fail", f"{node.address} does not answer: {node.silent}", "Install the same mien there, and look at its log.")
        return
    where = f"{node.address} ({node.told['host']})"
    if node.told["store"]:
        remedy = "Every node must reach the same store: a shared folder, or s3:// with credentials on each node."
        yield Finding("node", "fail", f"{where} cannot read the store: {node.told['store']}", remedy)
    if node.told["model"]:
        yield Finding("node", "fail", f"{where} lacks the encoder: {node.told['model']}", "Install the same weights on every node.")
    for key in ("python", *TOLD, "encoder"):
        if node.told[key] != here[key] and not (key == "encoder" and node.told["model"]):
            pair = f"{key} {node.told[key] or 'not installed'}, here {here[key] or 'not installed'}"
            yield Finding(
                "node", "fail" if key in MUST_AGREE else "warn", f"{where} has {pair}.", "Install the same version on every node."
            )
    if abs(node.ahead_s) - node.within_s > CLOCK_WARNS_S:
        told = f"The clock of {where} differs from this machine's by {abs(node.ahead_s):.1f} s."
        yield Finding("node", "warn", told, "Set the clocks (NTP). Leases do not need it, they compare no clocks.")


def _nodes(address: str, arguments: tuple[Any, ...]) -> list[Node]:
    """Join the cluster and ask its nodes. Raises ClusterError."""
    session = RaySession(address).start()
    try:
        return _ask(session.wait(), arguments)
    finally:
        session.stop()


def _ask(ray: Any, arguments: tuple[Any, ...]) -> list[Node]:
    """Ask each alive node, all at once, then each for its time, when its process is warm."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    alive = sorted((node["NodeManagerAddress"], node["NodeID"]) for node in ray.nodes() if node["Alive"])
    pinned = {id_: {"num_cpus": 0, "scheduling_strategy": NodeAffinitySchedulingStrategy(id_, soft=False)} for _, id_ in alive}
    asked = {id_: ray.remote(look).options(**pinned[id_], max_retries=0).remote(*arguments) for _, id_ in alive}
    deadline = time.monotonic() + PATIENCE_S
    return [_node(ray, address, asked[id_], pinned[id_], deadline) for address, id_ in alive]


def _node(ray: Any, address: str, asked: Any, pinned: Mapping[str, Any], deadline: float) -> Node:
    try:
        told = ray.get(asked, timeout=max(1.0, deadline - time.monotonic()))
        before = time.time()
        there = ray.get(ray.remote(_time).options(**pinned).remote(), timeout=PATIENCE_S)
        after = time.time()
    except ray.exceptions.RayError as error:
        return Node(address, {}, silent=_first_line(error))
    return Node(address, told, ahead_s=there - (before + after) / 2, within_s=(after - before) / 2)


def _time() -> float:
    return time.time()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[-1] if lines else type(error).__name__)[:200]
