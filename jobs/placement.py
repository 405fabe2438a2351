"""What one copy of a model asks of Ray: a GPU, or a placement group with one for each of its workers."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from typing import Any

from engine.execution_config import Pool
from engine.writer_config import Parallel

SWEEP_S = 2.0
MADE_WITHIN_S = 10.0
"""From the time that Ray Data asks how to make an actor until Ray knows it."""


def bundles(parallel: Parallel, cpus: float) -> list[dict[str, float]]:
    """A GPU and a CPU for each worker of one copy; the first also holds the pool's own actor, which takes `cpus`."""
    others: list[dict[str, float]] = [{"GPU": 1, "CPU": 1}] * (parallel.gpus - 1)
    return [{"GPU": 1, "CPU": max(1, cpus)}, *others]


def strategy(parallel: Parallel) -> str:
    """Tensor parallelism exchanges every layer's results and must stay in a node; groups of layers may be on nodes of their own."""
    return "STRICT_PACK" if parallel.pipeline == 1 else "PACK"


class Placement:
    """How the actors of one pool are placed. Close it when the pool's dataset is done.

    A placement group lives as long as the driver. Those that nobody sits in are given back at once: an actor may end before (a pool
    that shrinks, a model that does not load), and Ray Data also asks for a group when it only looks at what an actor would take. Every
    actor has a name in Ray, by which that is seen. An actor whose process is replaced keeps its name and its group.
    """

    def __init__(self, ray: Any, pool: Pool, parallel: Parallel) -> None:
        self._ray, self._pool, self._parallel = ray, pool, parallel
        self._pool_name, self._numbers = f"placed-{uuid.uuid4().hex}", itertools.count()
        self._groups: dict[str, tuple[Any, float]] = {}
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._sweeper = threading.Thread(target=self._sweep, name="placement", daemon=True)

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for `map_batches`."""
        if self._parallel.gpus == 1:
            return {"num_cpus": self._pool.cpus, "num_gpus": self._pool.gpus}
        # The GPUs are the group's: an actor that asked for one itself would take it from vLLM's workers.
        return {"num_cpus": self._pool.cpus, "num_gpus": 0, "ray_remote_args_fn": self._for_an_actor}

    def close(self) -> None:
        """Give back all GPUs; actors that still sit in a group end."""
        self._closed.set()
        with self._lock:
            for name in list(self._groups):
                self._give_back(name)

    def _for_an_actor(self) -> dict[str, Any]:
        """Called by Ray Data whenever it makes an actor."""
        from ray.util.placement_group import placement_group
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        with self._lock:
            if not self._sweeper.is_alive():
                self._sweeper.start()
            self._give_back_empty()  # a replacement may need just these GPUs
            name = f"{self._pool_name}-{next(self._numbers)}"
            group = placement_group(bundles(self._parallel, self._pool.cpus), strategy=strategy(self._parallel), name=name)
            self._groups[name] = group, time.monotonic()
        # vLLM's workers are actors of the pool's actor: captured, they sit in the same group.
        return {"name": name, "scheduling_strategy": PlacementGroupSchedulingStrategy(group, placement_group_capture_child_tasks=True)}

    def _sweep(self) -> None:
        while not self._closed.wait(SWEEP_S):
            with self._lock:
                if not self._closed.is_set():
                    self._give_back_empty(MADE_WITHIN_S)

    def _give_back_empty(self, older_than_s: float = 0) -> None:
        # Not `get_actor`: it remembers actors that have died.
        known = set(self._ray.util.list_named_actors())
        for name, (_, since) in list(self._groups.items()):
            if name not in known and time.monotonic() - since >= older_than_s:
                self._give_back(name)

    def _give_back(self, name: str) -> None:
        from ray.util.placement_group import remove_placement_group

        group, _ = self._groups.pop(name)
        remove_placement_group(group)
