"""From committed verdicts to the tables of the report's judges; what was said is not read, only what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.report.judging.data import PAIRS_SCHEMA, RATINGS_SCHEMA, STRANGER_POST, TURING_SCHEMA
from engine.stage import Stage
from engine.stages.judging import Compare, Rate
from engine.stages.outputs import Output
from engine.stages.turing import Fool, Sense
from engine.store.plans import Plan, Shard
from engine.store.results import Results, Wanted
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.result_columns import Beside, unit_columns
from jobs.vptt import Vptt

_OUTCOME = ("outcome", "code")
_RATED = ("score", "model", "input_tokens", "output_tokens")
_COMPARED = ("asked", "words_a", "words_b", "model")


def rating_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`RATINGS_SCHEMA`: one row per judge, unit and entrant of every shard that has its ratings."""
    return _table(RATINGS_SCHEMA, workflow, workflow.judgements.ratings, plan, results, progress)


def pair_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`PAIRS_SCHEMA`: one row per verdict of every shard that has its pairs."""
    return _table(PAIRS_SCHEMA, workflow, workflow.judgements.pairs, plan, results, progress)


def turing_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`TURING_SCHEMA`: one row per verdict of every shard that has its tests."""
    stages = (*workflow.judgements.fools, *workflow.judgements.senses)
    return _table(TURING_SCHEMA, workflow, stages, plan, results, progress)


def _table(schema: pa.Schema, workflow: Vptt, stages: Sequence[Stage[Any]], plan: Plan, results: Results, progress: Progress) -> pa.Table:
    there = [(shard, stage) for shard in plan.shards for stage in stages if progress.overlays(stage, shard) != ABSENT]
    found = results.merged_many(wanted for shard, stage in there for wanted in _wanted(stage, shard, progress))
    tables = [schema.empty_table()]
    for shard, stage in there:
        read = {wanted.stage.id: next(found) for wanted in _wanted(stage, shard, progress)}
        tables.append(_ROWS[type(stage)](stage, workflow, shard, read).select(schema.names).cast(schema))
    return pa.concat_tables(tables)


def _wanted(stage: Any, shard: Shard, progress: Progress) -> Iterator[Wanted]:
    yield progress.wanted(stage, shard, ["unit", "subject", *_OUTCOME, *(_RATED if isinstance(stage, Rate) else _COMPARED)])


def _ratings(stage: Rate, workflow: Vptt, shard: Shard, read: Mapping[str, pa.Table]) -> pa.Table:
    units = unit_columns(shard, workflow.units(shard, stage))
    rows, verdicts = units.num_rows, Beside(units, read, stage)
    columns = {**_entrant(stage.by.name, stage.output, rows), "method": pa.repeat(stage.output.label, rows)}
    columns |= {name: units[name] for name in units.column_names}
    columns |= {name: verdicts.column(name) for name in (*_OUTCOME, *_RATED)}
    return pa.table(columns)


def _pairs(stage: Compare, workflow: Vptt, shard: Shard, read: Mapping[str, pa.Table]) -> pa.Table:
    units = unit_columns(shard, workflow.units(shard, stage))
    verdicts = Beside(units, read, stage)
    columns = {**_entrant(stage.by.name, stage.a, units.num_rows), **{name: units[name] for name in units.column_names}}
    columns |= {name: verdicts.column(name) for name in (*_OUTCOME, *_COMPARED)}
    labels = {"a": stage.a.label, "b": stage.b.label}
    rows: list[dict[str, Any]] = []
    for row in pa.table(columns).to_pylist():
        asked, words = row.pop("asked") or [_UNASKED], {"a": row.pop("words_a"), "b": row.pop("words_b")}
        for each in asked:
            first, second = each["first"], "b" if each["first"] == "a" else "a"
            preferred = {first: "first", second: "second", "tie": "tie", None: None}[each["preferred"]]
            rows.append(
                {
                    **row,
                    "pair": f"{stage.id} {row['unit']}",
                    "first": labels[first],
                    "second": labels[second],
                    "preferred": preferred,
                    "confidence": each["confidence"],
                    "words_first": words[first],
                    "words_second": words[second],
                }
            )
    return pa.Table.from_pylist(rows, schema=PAIRS_SCHEMA)


_UNASKED = {"first": "a", "preferred": None, "confidence": None}


def _turing(stage: Fool | Sense, workflow: Vptt, shard: Shard, read: Mapping[str, pa.Table]) -> pa.Table:
    subjects = {subject.key: subject for subject in shard.subjects}
    prompt = stage.prompt if isinstance(stage, Fool) else None
    constant = {
        "judge": stage.by.name,
        "method": prompt.label if prompt else STRANGER_POST,
        "writer": prompt.writer if prompt else None,
        "backbone": prompt.writer_id if prompt else None,
        "budget": prompt.budget.name if prompt else None,
    }
    rows: list[dict[str, Any]] = []
    for row in read[stage.id].to_pylist():
        subject = subjects[row["subject"]]
        who = {"subject": subject.key, "person": subject.id, "cluster": subject.cluster}
        for each in row["asked"] or [_UNASKED]:
            rows.append(
                {
                    **constant,
                    **who,
                    "outcome": row["outcome"],
                    "code": row["code"],
                    "own_first": each["first"] == "a" if each["preferred"] else None,
                    "fooled": each["preferred"] == "b" if each["preferred"] else None,
                    "model": row["model"],
                    "words_own": row["words_a"],
                    "words_other": row["words_b"],
                }
            )
    return pa.Table.from_pylist(rows, schema=TURING_SCHEMA)


_ROWS: Mapping[type, Any] = {Rate: _ratings, Compare: _pairs, Fool: _turing, Sense: _turing}


def _entrant(judge: str, output: Output, rows: int) -> dict[str, Any]:
    prompt = output.prompt
    constant = {
        "judge": judge,
        "writer": prompt.writer,
        "backbone": prompt.writer_id,
        "budget": prompt.budget.name,
        "renderer": output.renderer or None,
    }
    return {name: pa.repeat(pa.scalar(value, pa.string()), rows) for name, value in constant.items()}
