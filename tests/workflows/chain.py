"""What made-up workflows share: a source and a chain of stages behind it, one unit a subject, and a plan over any values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.keys import content_key
from engine.outcome import Answered
from engine.rows import inputs_digest, make_row
from engine.stage import Stage, Unit
from engine.store.plans import Plan, Shard, Subject, run_id, save_plan
from engine.store.results import Results


class Chain:
    """Every stage reads the one before it, the first reads the source. A concrete one adds its actors."""

    def __init__(self, source: Stage[Any], stages: Sequence[Stage[Any]]) -> None:
        self.source, self.sources, self.stages = source, [source], list(stages)

    @property
    def phases(self) -> list[list[Stage[Any]]]:
        return [self.stages]

    @property
    def finals(self) -> list[Stage[Any]]:
        return self.stages[-1:]

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        return [Unit(subject.key, subject.key) for subject in shard.subjects]

    def before(self, phase: int, plan: Plan, results: Results, progress: Any) -> Mapping[str, Any]:
        return {}

    def actors(self, options: Mapping[str, Any]) -> Any:
        raise NotImplementedError


def save_chain(workflow: Chain, identity: Mapping[str, Any], values: Sequence[Any], shard_size: int, results: Results) -> Plan:
    """A plan with one subject for each of the source's `values`, saved with its source."""
    subjects = [Subject(content_key([number, run_id(identity)]), f"unit-{number}", f"unit-{number}") for number in range(len(values))]
    value_of = {subject.key: value for subject, value in zip(subjects, values, strict=True)}
    shards = tuple(Shard.of(subjects[start : start + shard_size]) for start in range(0, len(subjects), shard_size))
    for shard in shards:
        units = workflow.units(shard, workflow.source)
        rows = [make_row(workflow.source, unit, Answered(value_of[unit.key]), inputs_digest([])) for unit in units]
        results.commit(workflow.source, shard.key, rows)
    plan = Plan(run_id(identity), identity, Shard.of([]), shards, False, len(subjects))
    save_plan(results.backend, plan)
    return plan
