"""The prompts of an experiment's own methods: read and checked by the driver, stored shard by shard, so that workers need no file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from engine.config import Experiment
from engine.errors import PlanMismatch
from engine.keys import file_sha256
from engine.outcome import Failed, Outcome
from engine.prompting.given import NO_PROMPT, GivenFile, GivenRow, named, outcome_of, read_given
from engine.prompting.writing import Written
from engine.queries import builtin_queries, read_queries
from engine.queries.assigned import Assignment, assign
from engine.records import Query
from engine.report.wording import counted
from engine.rows import Row, inputs_digest, make_row
from engine.stage import Unit
from engine.stages.prompt import Given
from engine.store.names import short
from engine.store.plans import Plan, Shard, Subject
from engine.store.results import Results
from jobs.people_source import BAD_PERSON
from jobs.shard_runner import UPSTREAM
from jobs.vptt import Vptt


class OwnPrompts:
    """What the files of an experiment's own methods hold; each file is read once, when it is first asked for."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._files = {own.name: own.file for own in experiment.own_methods()}
        self._read: dict[Path, GivenFile] = {}

    @cached_property
    def assignment(self) -> Assignment | None:
        """Who is asked what, if the files say it."""
        if not self._experiment.queries.assigned:
            return None
        return assign((self.file(name) for name in self._files), pool_of(self._experiment))

    def file(self, method: str) -> GivenFile:
        """The file of a method. Raises InputError."""
        path = self._files[method]
        if path not in self._read:
            self._read[path] = read_given(path)
        return self._read[path]

    def of(self, stage: Given, pool: tuple[Query, ...]) -> dict[tuple[str, str], GivenRow]:
        """The rows of a stage by (person, query). Raises InputError; PlanMismatch if the file is no longer the one that was planned."""
        path = self._files[stage.label]
        if not path.is_file() or f"sha256:{file_sha256(path)}" != stage.content:
            raise PlanMismatch(
                f"{path} is not the file of prompts that this run was planned with.",
                remedy="Restore it, or run the experiment under a new --name: what has not changed is taken over.",
            )
        return self.file(stage.label).prompts(stage.label, {query.id for query in pool})


def pool_of(experiment: Experiment) -> tuple[Query, ...]:
    """The queries that an experiment chooses from: a file's, or the built-in ones."""
    return read_queries(experiment.queries.file) if experiment.queries.file else builtin_queries()


def check_given(workflow: Vptt, plan: Plan, own: OwnPrompts) -> Iterator[str]:
    """Read and check every file; tells what of it this run does not use, and what it lacks. Raises InputError; writes nothing."""
    shards = [(shard, {subject.key: subject for subject in shard.subjects}) for shard in plan.shards]
    for stage in {stage.label: stage for stage in workflow.given}.values():
        rows = own.of(stage, workflow.pool)
        asked = [_asked(subjects, unit) for shard, subjects in shards for unit in workflow.units(shard, stage)]
        name = own.file(stage.label).path.name
        for told in (*_unused(rows, asked, name), *_lacking(rows, asked, name)):
            yield f"{stage.label}: {told}"


def _unused(rows: Mapping[tuple[str, str], GivenRow], asked: Sequence[tuple[Subject, str]], file: str) -> Iterator[str]:
    people, pairs = {subject.id for subject, _ in asked}, {(subject.id, query) for subject, query in asked}
    unused = {pair: row for pair, row in rows.items() if pair not in pairs}
    if strangers := [row for (person, _), row in unused.items() if person not in people]:
        yield f"{counted(len(strangers), 'row')} of {file} not used, for people that this run does not have ({named(strangers)})."
    if others := [row for (person, _), row in unused.items() if person in people]:
        which = f"for queries that their person is not asked ({named(others)}); `mien queries` tells who is asked what"
        yield f"{counted(len(others), 'row')} of {file} not used, {which}."


def _lacking(rows: Mapping[tuple[str, str], GivenRow], asked: Sequence[tuple[Subject, str]], file: str) -> Iterator[str]:
    lacking = [subject.id for subject, query in asked if not subject.bad and (subject.id, query) not in rows]
    if lacking:
        what = f"{file} lacks {len(lacking)} of {counted(len(asked), 'prompt')}, the first one of {lacking[0]}"
        yield f"{what}; where there is none, a row ends as failed ({NO_PROMPT})."


def commit_given(workflow: Vptt, plan: Plan, results: Results, own: OwnPrompts) -> None:
    """Store the prompts that are not in the store yet. Raises as `OwnPrompts.of`."""
    for stage in workflow.given:
        existing = results.done(stage)
        missing = [shard for shard in plan.shards if short(shard.key) not in existing]
        rows = own.of(stage, workflow.pool) if missing else {}
        for shard in missing:
            results.commit(stage, shard.key, list(_rows(workflow, stage, shard, rows)))


def _rows(workflow: Vptt, stage: Given, shard: Shard, rows: dict[tuple[str, str], GivenRow]) -> Iterator[Row[Written]]:
    subjects = {subject.key: subject for subject in shard.subjects}
    for unit in workflow.units(shard, stage):
        subject, query = _asked(subjects, unit)
        outcome: Outcome[Written] = outcome_of(rows.get((subject.id, query)), stage.label)
        if subject.bad and isinstance(outcome, Failed):  # nobody could write for a person who could not be read
            outcome = Failed(UPSTREAM + BAD_PERSON, "the person's row could not be used")
        yield make_row(stage, unit, outcome, inputs_digest([]))


def _asked(subjects: dict[str, Subject], unit: Unit) -> tuple[Subject, str]:
    assert unit.query is not None
    return subjects[unit.subject], unit.query.id
