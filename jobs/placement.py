"""What one copy of a model asks of Ray: a GPU, or a placement group with one for each of its workers."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from engine.config import Pool
from engine.writer_config import Parallel


def bundles(parallel: Parallel, cpus: float) -> list[dict[str, float]]:
    """A GPU and a CPU for each worker of one copy; the first also holds the pool's own actor, which takes `cpus`."""
    workers = parallel.tensor * parallel.pipeline
    return [{"GPU": 1, "CPU": max(1, cpus)}, *({"GPU": 1, "CPU": 1} for _ in range(workers - 1))]


def strategy(parallel: Parallel) -> str:
    """Tensor parallelism exchanges every layer's results and must stay in a node; groups of layers may be on nodes of their own."""
    return "STRICT_PACK" if parallel.pipeline == 1 else "PACK"


class Placement:
    """How the actors of one pool are placed; keep it for as long as the pool lives, and close it then.

    A placement group lives as long as the driver, but an actor of a pool may end before: when the pool shrinks, and when it cannot load
    its model. Its name in Ray is free then, by which `sweep` knows the groups that nobody sits in. An actor that Ray restarts keeps its
    name and its group.
    """

    def __init__(self, ray: Any, pool: Pool, parallel: Parallel) -> None:
        self._ray, self._pool, self._parallel = ray, pool, parallel
        self._pool_name, self._numbers = f"placed-{uuid.uuid4().hex}", itertools.count()
        self._groups: dict[str, Any] = {}

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for `map_batches`."""
        if self._parallel == Parallel():
            return {"num_cpus": self._pool.cpus, "num_gpus": self._pool.gpus}
        # The GPUs are the group's: an actor that asked for one itself would take it from vLLM's workers.
        return {"num_cpus": self._pool.cpus, "num_gpus": 0, "ray_remote_args_fn": self._for_next_actor}

    def _for_next_actor(self) -> dict[str, Any]:
        """Called by Ray Data each time it makes an actor, in the thread that runs the dataset."""
        from ray.util.placement_group import placement_group
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        self.sweep()
        name = f"{self._pool_name}-{next(self._numbers)}"
        group = placement_group(bundles(self._parallel, self._pool.cpus), strategy=strategy(self._parallel), name=name)
        self._groups[name] = group
        # vLLM's workers are actors of the pool's actor: captured, they sit in the same group.
        return {"name": name, "scheduling_strategy": PlacementGroupSchedulingStrategy(group, placement_group_capture_child_tasks=True)}

    def sweep(self) -> None:
        """Give back the GPUs of actors that have ended for good."""
        for name in list(self._groups):
            try:
                self._ray.get_actor(name)
            except ValueError:
                self._give_back(name)

    def close(self) -> None:
        """Give back all GPUs; actors that still hold one end."""
        for name in list(self._groups):
            self._give_back(name)

    def _give_back(self, name: str) -> None:
        from ray.util.placement_group import remove_placement_group

        if (group := self._groups.pop(name, None)) is not None:
            remove_placement_group(group)
