"""Stages are units of identity, operators units of execution: stages that share a pool of processes share one Ray Data operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.execution_config import Pool
from engine.stage import Stage
from engine.writer_config import Parallel

ONE_GPU = Parallel()

ANY = ""
"""The pool of a stage that holds no model of its own: it runs wherever its inputs were computed."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Consecutive stages on one pool of processes."""

    name: str
    pool: Pool
    stages: tuple[Stage[Any], ...]
    parallel: Parallel = ONE_GPU
    """How many GPUs one copy of its model takes."""


def operators(
    stages: Sequence[Stage[Any]],
    pool_of: Callable[[str], str],
    pools: Mapping[str, Pool],
    *,
    parallel: Mapping[str, Parallel] = MappingProxyType({}),
    earlier: int = 0,
) -> list[Operator]:
    """The fewest operators in which every stage comes after its inputs. `stages` stand in dependency order.

    `pool_of` names the pool of an actor, or `ANY`. A pool that is needed before and after another one makes two operators.
    `parallel` tells of pools whose model takes several GPUs. `earlier` operators of other phases count in their names.
    """
    waiting = list(stages)
    result: list[Operator] = []
    while waiting:
        open_ = {stage.id for stage in waiting}
        ready = [stage for stage in waiting if not any(each.id in open_ for each in stage.inputs)]
        name = next((pool for stage in ready if (pool := pool_of(stage.actor or "")) != ANY), next(iter(pools)))
        taken: list[Stage[Any]] = []
        for stage in waiting:
            if pool_of(stage.actor or "") in (name, ANY) and not any(each.id in open_ for each in stage.inputs):
                taken.append(stage)
                open_.discard(stage.id)
        waiting = [stage for stage in waiting if stage.id in open_]
        result.append(Operator(f"{name}-{earlier + len(result) + 1}", pools[name], tuple(taken), parallel.get(name, ONE_GPU)))
    return result
