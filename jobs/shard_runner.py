"""A shard's way through stages, in one process: read, skip what exists, ask in batches, commit, go on with what was committed.

No Ray here: `jobs.pipeline` runs this inside actors, tests run it directly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from engine.outcome import Answered, Failed, FailureKind, Outcome
from engine.rows import OUTCOMES, Row, inputs_digest, make_row
from engine.stage import Stage, Unit, waves
from engine.store.plans import Shard
from engine.store.results import Results
from jobs.asking import guarded
from jobs.attempts import Attempt
from jobs.calling import Call, Caller

UPSTREAM = "upstream:"
"""Begins the code of a unit that could not be asked because a row it reads is not answered; the root's code follows."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Which failed units are tried again: the retryable ones, or all with this code."""

    code: str = ""

    def wants(self, failed: Failed) -> bool:
        """Whether this failure is tried again itself (not because an input changed)."""
        return failed.code == self.code if self.code else failed.kind is not FailureKind.PERMANENT


@dataclass(slots=True)
class StageTally:
    """What one stage did on one shard; `failed` counts rows that failed by themselves, not those that read one."""

    rows: int = 0
    failed: int = 0
    skipped: bool = False
    seconds: float = 0.0


@dataclass(slots=True)
class _Due:
    """A stage's open units on this shard, and the overlay that their rows will be."""

    stage: Stage[Any]
    units: list[Unit]
    overlay: int
    current: dict[str, Row[Any]]
    outcomes: dict[str, Outcome[Any]] = field(default_factory=dict)
    inputs: dict[str, tuple[Row[Any], ...]] = field(default_factory=dict)
    seconds: float = 0.0


class ShardRunner:
    """Runs a list of stages on shards. Stages that these read and that are not among them have results already."""

    def __init__(
        self,
        results: Results,
        stages: Sequence[Stage[Any]],
        caller: Caller,
        units: Callable[[Shard, Stage[Any]], list[Unit]],
    ) -> None:
        self._results, self._caller, self._units = results, caller, units
        self._waves = waves(stages)

    def run(
        self,
        shard: Shard,
        done: dict[str, int],
        *,
        inspect: bool = False,
        retry: Retry | None = None,
        attempt: Attempt | None = None,
    ) -> dict[str, StageTally]:
        """Bring every stage to a result on `shard`; returns what each did.

        `done` maps the id of each stage that has a result to its highest overlay, and is kept up to date. With `inspect`, units of finished
        stages whose inputs changed since are done again; with `retry`, those that failed and that it wants, too. `attempt` tells whether
        earlier tasks died on this shard.

        Raises CorruptObject (the file is in quarantine then, so that the next pass computes it again), StoreError and EngineDied.
        """
        if attempt is not None and not attempt.is_first:
            self._look_again(shard, done)
        context = _Context(self._results, shard, self._units, done, inspect or retry is not None)
        tallies: dict[str, StageTally] = {}
        with ThreadPoolExecutor(max_workers=8, thread_name_prefix="commit") as committers:
            for wave in self._waves:
                due = []
                for stage in wave:
                    open_ = context.due(stage, retry)
                    if open_ is None:
                        tallies[stage.id] = StageTally(skipped=True)
                    else:
                        due.append(open_)
                # Each stage is committed as soon as it is answered; downstream starts when the whole wave is durable.
                commits: list[tuple[_Due, Future[StageTally]]] = []
                for each in self._answered(due, context, attempt):
                    commits.append((each, committers.submit(self._commit, each, context)))
                for each, commit in commits:
                    tallies[each.stage.id] = commit.result()
        return tallies

    def _look_again(self, shard: Shard, done: dict[str, int]) -> None:
        """A task that died here may have left results that the driver did not see."""
        for stage in (stage for wave in self._waves for stage in wave):
            found = self._results.highest(stage, shard.key, known=done.get(stage.id))
            if found is not None:
                done[stage.id] = found

    def _answered(self, due: Sequence[_Due], context: _Context, attempt: Attempt | None) -> Iterator[_Due]:
        """Each stage with its outcomes. Requests of all stages that share an actor and a way of asking go into one batch."""
        batches: dict[tuple[str, Any], list[tuple[_Due, Call]]] = {}
        for each in due:
            started = time.perf_counter()
            for unit in each.units:
                request = self._request(each, unit, context)
                if isinstance(request, Failed):
                    each.outcomes[unit.key] = request
                else:
                    call = Call(each.stage.id, each.stage.fingerprint, unit.key, request)
                    batches.setdefault((each.stage.actor or "", type(each.stage).ask), []).append((each, call))
            each.seconds += time.perf_counter() - started
            if len(each.outcomes) == len(each.units):
                yield each
        for (actor, ask), members in batches.items():
            started = time.perf_counter()
            outcomes = self._caller.outcomes(actor, ask, [call for _, call in members], context.shard.key, attempt)
            share = (time.perf_counter() - started) / len(members)
            for (each, call), outcome in zip(members, outcomes, strict=True):
                each.outcomes[call.unit] = outcome
                each.seconds += share
            yield from {id(each): each for each, _ in members}.values()

    @staticmethod
    def _request(due: _Due, unit: Unit, context: _Context) -> Any:
        """The unit's call, or the `Failed` that it ends as without one."""
        inputs = context.inputs(due.stage, unit)
        due.inputs[unit.key] = inputs
        for read, row in zip(due.stage.reads(unit), inputs, strict=True):
            if not (read.optional or isinstance(row.outcome, Answered)):
                return _upstream(read.stage, row.outcome)
        return guarded(due.stage.request, unit, *_values(inputs))

    def _commit(self, due: _Due, context: _Context) -> StageTally:
        started = time.perf_counter()
        rows = [_row(due, unit) for unit in due.units]
        committed: dict[str, Row[Any]] = {}
        while True:
            committed |= {row.unit: row for row in self._results.commit(due.stage, context.shard.key, rows, overlay=due.overlay)}
            # Another run may have tried other units again and been first: what only we have is the next overlay.
            rows = [row for row in rows if row.unit not in committed]
            if not rows:
                break
            due.overlay += 1
        context.adopt(due, list(committed.values()))
        failed = sum(isinstance(row.outcome, Failed) and not row.outcome.code.startswith(UPSTREAM) for row in committed.values())
        return StageTally(len(committed), failed, False, due.seconds + time.perf_counter() - started)


class _Context:
    """What is known of one shard while it travels: units and committed rows, read on first use."""

    def __init__(
        self,
        results: Results,
        shard: Shard,
        units: Callable[[Shard, Stage[Any]], list[Unit]],
        done: dict[str, int],
        inspect: bool,
    ) -> None:
        self.shard = shard
        self._results, self._units_of, self._done, self._inspect = results, units, done, inspect
        self._renewed: set[str] = set()
        self._units: dict[str, list[Unit]] = {}
        self._rows: dict[str, dict[str, Row[Any]]] = {}

    def units(self, stage: Stage[Any]) -> list[Unit]:
        if stage.id not in self._units:
            self._units[stage.id] = self._units_of(self.shard, stage)
        return self._units[stage.id]

    def rows(self, stage: Stage[Any]) -> dict[str, Row[Any]]:
        """The stage's committed rows."""
        if stage.id not in self._rows:
            overlays = self._done.get(stage.id, 0)
            units = [unit.key for unit in self.units(stage)]
            self._rows[stage.id] = self._results.read(stage, self.shard.key, overlays=overlays, units=units)
        return self._rows[stage.id]

    def adopt(self, due: _Due, committed: list[Row[Any]]) -> None:
        """Go on with what was committed."""
        self._rows[due.stage.id] = {**due.current, **{row.unit: row for row in committed}}
        self._done[due.stage.id] = due.overlay
        self._renewed.add(due.stage.id)

    def inputs(self, stage: Stage[Any], unit: Unit) -> tuple[Row[Any], ...]:
        """The rows a unit reads, in the stage's order."""
        return tuple(self.rows(each.stage)[each.key] for each in stage.reads(unit))

    def due(self, stage: Stage[Any], retry: Retry | None) -> _Due | None:
        """What is open: everything if there is no result; else failed units that `retry` wants, and units whose inputs changed.

        Inputs can have changed where the shard is to be inspected, or where one of them was computed just now.
        """
        overlays = self._done.get(stage.id)
        if overlays is None:
            return _Due(stage, self.units(stage), 0, {})
        if not self._inspect and self._renewed.isdisjoint(each.id for each in stage.inputs):
            return None
        rows = self.rows(stage)
        open_ = [unit for unit in self.units(stage) if self._is_open(stage, unit, rows[unit.key], retry)]
        return _Due(stage, open_, overlays + 1, rows) if open_ else None

    def _is_open(self, stage: Stage[Any], unit: Unit, row: Row[Any], retry: Retry | None) -> bool:
        if row.input_sha256 != inputs_digest(each.sha256 for each in self.inputs(stage, unit)):
            return True
        if retry is None:
            return False
        return isinstance(row.outcome, Failed) and not row.outcome.code.startswith(UPSTREAM) and retry.wants(row.outcome)


def _row(due: _Due, unit: Unit) -> Row[Any]:
    """The row of a unit, from the actor's outcome."""
    inputs, outcome = due.inputs[unit.key], due.outcomes[unit.key]
    if isinstance(outcome, Answered):
        value = guarded(due.stage.value, unit, _values(inputs), outcome.value)
        outcome = value if isinstance(value, Failed) else Answered(value)
    return make_row(due.stage, unit, outcome, inputs_digest(row.sha256 for row in inputs))


def _values(inputs: tuple[Row[Any], ...]) -> tuple[Any, ...]:
    return tuple(row.outcome.value if isinstance(row.outcome, Answered) else None for row in inputs)


def _upstream(stage: Stage[Any], outcome: Outcome[Any]) -> Failed:
    """The failure of a unit that reads a row of `stage` without an answer: it keeps the root's code and message."""
    if isinstance(outcome, Failed):
        if outcome.code.startswith(UPSTREAM):
            return outcome
        return Failed(UPSTREAM + outcome.code, f"{stage.name}: {outcome.message}")
    return Failed(UPSTREAM + OUTCOMES[type(outcome)], f"{stage.name} has no answer for this unit")
