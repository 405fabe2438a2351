"""What a Ray actor does with a shard reference: rebuild the stages from the plan once, then bring shards through one operator's."""

from __future__ import annotations

import gc
import os
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import ClusterError, CorruptObject, EngineDied, MienError, Missing, StoreError
from engine.store.opening import open_backend
from engine.store.plans import load_plan
from engine.store.results import Results
from jobs.attempts import Attempt, Attempts
from jobs.call_log import CallLog
from jobs.calling import Caller
from jobs.loading import Loader
from jobs.metering import Meter
from jobs.references import ABSENT, Batch, ShardReference, Trouble, Visit
from jobs.shard_runner import Retry, ShardRunner, StageTally
from jobs.watchdog import EXIT_CODE, Watchdog
from jobs.workflow import open_workflow

SPARE_ATTEMPTS = 8
"""Tasks on a shard that may be lost one after another though its units run alone and none of them is to blame."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker needs beside the plan; small, since it travels with every actor."""

    store: str
    run: str
    module: str
    """The benchmark's module (`jobs.workflow`)."""
    options: Mapping[str, Any]
    """For the workflow's actors: where models lie, threads."""
    stuck_after_s: float
    call_log: str = ""
    operator: str = ""
    stages: tuple[str, ...] = ()
    """Ids of the operator's stages."""
    warm: tuple[str, ...] = ()
    """Actors that are loaded before the first shard comes: their stages have no results yet."""


class ShardWorker:
    """A callable for `map_batches(batch_size=1)`: a shard reference in, the reference with what was done out."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._fault: MienError | None = None
        try:
            self._open(settings)
        except EngineDied:
            raise  # another process may have more luck: Ray makes one
        except MienError as error:
            self._fault = error
        # Cached vectors are many long-lived objects and no cycles: full collections would walk them ever longer for nothing.
        gc.freeze()
        gc.set_threshold(10_000, 20, 1_000)

    def _open(self, settings: WorkerSettings) -> None:
        backend = open_backend(settings.store, proven=True)
        plan = load_plan(backend, settings.run)
        if plan is None:
            raise StoreError(f"Run {settings.run} has no plan in {settings.store}.", remedy="Every node must reach the same store.")
        results = Results(backend, repair=True)
        workflow = open_workflow(settings.module, plan, results)
        actors = Loader(workflow.actors(settings.options))
        self._meter = Meter(backend, actors)
        for name in settings.warm:
            actors(name)
        self._attempts = Attempts(backend, settings.run, settings.operator)
        caller = Caller(actors, watchdog=Watchdog(settings.stuck_after_s), attempts=self._attempts, log=CallLog(settings.call_log))
        self._plan, self._workflow = plan, workflow
        self._stages = {stage.id: stage for stage in workflow.stages if stage.id in settings.stages}
        self._runner = ShardRunner(results, list(self._stages.values()), caller, workflow.units)

    def __call__(self, batch: Batch) -> dict[str, list[Any]]:
        reference = self._advanced(ShardReference.of_batch(batch))
        return {name: [value] for name, value in reference.row().items()}

    def _advanced(self, reference: ShardReference) -> ShardReference:
        if reference.trouble is not None:
            return reference
        if self._fault is not None:
            return replace(reference, trouble=_told(self._fault))
        started = time.time()
        try:
            attempt = self._attempts.begin(self._plan.shards[reference.shard].key)
            self._refuse_endless(attempt)
            done, tallies = self._run(reference, attempt)
        except EngineDied as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(EXIT_CODE)  # the attempt stays marked; retrying into a dead engine would loop for ever
        except MienError as error:
            return replace(reference, trouble=_told(error))
        index = {stage.id: number for number, stage in enumerate(self._workflow.stages)}
        worked = tuple((index[id_], t.rows, t.failed, round(t.seconds, 4)) for id_, t in tallies.items() if not t.skipped)
        used = self._meter.since_last()
        spent = tuple((actor, s.calls, s.input_tokens, s.output_tokens, round(s.dollars, 9)) for actor, s in used.spent.items())
        where = (self._settings.operator, socket.gethostname(), os.getpid())
        visit = Visit(*where, attempt.number, started, time.time(), used.requests, worked, spent)
        return replace(
            reference,
            done=tuple(done.get(stage.id, ABSENT) for stage in self._workflow.stages),
            # What was written here, or by a task that was lost, may be newer than results that a later operator finds done.
            inspect=reference.inspect or bool(worked) or not attempt.is_first,
            visits=(*reference.visits, visit),
        )

    def _run(self, reference: ShardReference, attempt: Attempt) -> tuple[dict[str, int], dict[str, StageTally]]:
        stages = self._workflow.stages
        done = {stage.id: overlay for stage, overlay in zip(stages, reference.done, strict=True) if overlay != ABSENT}
        retry = Retry(reference.retry_code) if reference.retry else None
        shard = self._plan.shards[reference.shard]
        try:
            tallies = self._runner.run(shard, done, inspect=reference.inspect, retry=retry, attempt=attempt)
        except EngineDied:
            raise
        except BaseException:
            self._attempts.finish(attempt, whole=False)  # this process lives: nothing here ended it
            raise
        self._attempts.finish(attempt, whole=True)
        return done, tallies

    def _refuse_endless(self, attempt: Attempt) -> None:
        """Whatever ends the process outside of a named unit's call would otherwise end it for ever."""
        if not attempt.alone or self._attempts.unexplained(attempt) < SPARE_ATTEMPTS:
            return
        self._attempts.finish(attempt, whole=True)  # another command starts anew, when the cause is mended
        raise ClusterError(
            f"{attempt.number - 1} processes were lost on shard {attempt.shard[:16]}, and no single unit is to blame.",
            remedy="See the workers' logs in Ray (out of memory? a crash while loading?); `mien doctor` checks the nodes.",
        )


def _told(error: MienError) -> Trouble:
    known = next(kind for kind in type(error).__mro__ if kind.__module__ == MienError.__module__)
    return Trouble(known.__name__, error.message, error.remedy, again=isinstance(error, CorruptObject | Missing))
