"""Shard references through a chain of actor pools, as one streaming Ray Dataset; the payload itself never leaves the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

from engine.errors import ClusterError, MienError
from engine.execution_config import Execution, Pool
from jobs.attempts import UNIT_TRIES
from jobs.gate import gated
from jobs.operators import Operator
from jobs.placement import Placement
from jobs.references import ABSENT, ShardReference, Trouble
from jobs.worker import ShardWorker, WorkerSettings
from jobs.workflow import Workflow

CALLS_IN_FLIGHT = 2
"""Shards queued at an actor for each that it works on, this one included: above the 1.75 at which a Ray pool grows."""

FEW = 8
"""Shards a process from which on one may wait at it. With fewer, the process that is up first would take what another one is idle for."""


def stream(
    ray: Any,
    references: Sequence[ShardReference],
    operators: Sequence[Operator],
    workflow: Workflow,
    settings: WorkerSettings,
    execution: Execution,
    may_submit: Callable[[], bool] = lambda: True,
) -> Iterator[ShardReference]:
    """Run the references through the operators; yields each shard as it ends, in no order. Submits nothing while `may_submit()` is False.

    Raises MienError if a worker met an error that no other shard would escape (a full disk, missing weights), and what `may_submit` raises.
    """
    from ray.data.exceptions import ExecutionTimeoutError, SystemException

    context = ray.data.DataContext.get_current()
    _configure(context, execution)
    try:
        # A dataset copies the context that it is made under.
        with ExitStack() as placements, gated(context, may_submit):
            for row in _dataset(ray, references, operators, workflow, settings, placements).iter_rows():
                yield _ended(ShardReference.of(row))
    except (ray.exceptions.RayError, ExecutionTimeoutError, SystemException) as error:
        raise _as_ours(error) from error


def _dataset(
    ray: Any,
    references: Sequence[ShardReference],
    operators: Sequence[Operator],
    workflow: Workflow,
    settings: WorkerSettings,
    placements: ExitStack,
) -> Any:
    """The references through every operator that has anything to do; what its actors sit in ends with `placements`."""
    dataset = ray.data.from_items([reference.row() for reference in references], override_num_blocks=len(references))
    missing = _missing(references, workflow)
    needed = needed_operators(operators, references, workflow)
    for operator in needed:
        placement = placements.enter_context(closing(Placement(ray, operator.pool, operator.parallel)))
        dataset = dataset.map_batches(
            ShardWorker,
            batch_size=1,
            batch_format="numpy",
            fn_constructor_args=(_settings_of(operator, settings, missing),),
            compute=pool_strategy(ray, operator.pool, len(references), sum(each.pool.cpus for each in needed)),
            **placement.arguments(),
        )
    return dataset


def _missing(references: Sequence[ShardReference], workflow: Workflow) -> set[str]:
    """Ids of the stages that lack a result on some shard."""
    stages = workflow.stages
    return {stage.id for index, stage in enumerate(stages) if any(each.done[index] == ABSENT for each in references)}


def needed_operators(operators: Sequence[Operator], references: Sequence[ShardReference], workflow: Workflow) -> list[Operator]:
    """Those that may have anything to do: what a missing result is computed for may have to be renewed, too."""
    if any(each.inspect or each.retry for each in references):
        return list(operators)
    open_ = _missing(references, workflow)
    for stage in workflow.stages:  # in dependency order
        if any(each.id in open_ for each in stage.inputs):
            open_.add(stage.id)
    return [operator for operator in operators if any(stage.id in open_ for stage in operator.stages)]


def _settings_of(operator: Operator, settings: WorkerSettings, missing: set[str]) -> WorkerSettings:
    warm = tuple(dict.fromkeys(stage.actor for stage in operator.stages if stage.actor and stage.id in missing))
    return replace(settings, operator=operator.name, stages=tuple(stage.id for stage in operator.stages), warm=warm)


def pool_strategy(ray: Any, pool: Pool, shards: int, cpus_wanted: float) -> Any:
    """A pool's size: its share of the CPUs there are now at first, what it may be at most as the cluster grows."""
    cpus = float(ray.cluster_resources().get("CPU", 1)) * (pool.cpus / cpus_wanted if cpus_wanted else 1)
    fitting = int(cpus // pool.cpus) if pool.cpus else pool.max
    initial = max(1, min(pool.max, shards, max(fitting, pool.min)))
    most = max(initial, min(pool.max, shards))
    queued = CALLS_IN_FLIGHT if most > initial or shards >= FEW * initial * pool.shards else 1
    return ray.data.ActorPoolStrategy(
        min_size=min(pool.min, initial),
        max_size=most,
        initial_size=initial,
        max_tasks_in_flight_per_actor=queued * pool.shards,
        max_concurrent_calls_per_actor=pool.shards,
        enable_true_multi_threading=pool.shards > 1,
    )


def _configure(context: Any, execution: Execution) -> None:
    """Ray Data's defaults that do not suit a long run on spot nodes."""
    context.enable_progress_bars = False
    context.max_consecutive_actor_init_deaths = 8  # one failed model load must not end a job
    # A shard whose unit blocks its process takes the watchdog's limit once whole and twice alone; that is progress, which Ray cannot see.
    context.execution_no_progress_timeout_s = max(execution.no_progress_timeout_s, int((UNIT_TRIES + 2) * execution.stuck_after_s) + 300)
    context.max_errored_blocks = 0  # Ray would drop whole shards


def _ended(reference: ShardReference) -> ShardReference:
    if reference.trouble is not None and not reference.trouble.again:
        raise _error(reference.trouble)
    return reference


def _error(told: Trouble) -> MienError:
    """The worker's error as the driver's, with its own exit code."""
    from engine import errors

    kind = getattr(errors, told.kind, MienError)
    error: MienError = kind(told.message, remedy=told.remedy)
    return error


def _as_ours(error: Exception) -> MienError:
    """What ended a dataset, without Ray's pages of traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else type(error).__name__)
    return ClusterError(
        f"Ray gave up: {said[:500]}",
        remedy="What is finished is kept: mend the cause (the workers' logs tell it) and run the same command again.",
    )
