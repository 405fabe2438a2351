"""From committed results to the tables that a report is made of; columns only, no row is decoded."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.prompting.methods import METHODS
from engine.report.data import CEILINGS_SCHEMA, METRICS, SCORES_SCHEMA
from engine.stage import Unit
from engine.stages.score import Score
from engine.store.plans import Plan, Shard
from engine.store.results import Results
from jobs.planning import Progress
from jobs.vptt import Vptt


def score_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`SCORES_SCHEMA`: one row per unit x method x writer of every finished shard, so that all methods stand on the same cases."""
    tables = [SCORES_SCHEMA.empty_table()]
    reader = _Reader(results, progress)
    for shard in plan.shards:
        if progress.is_done(workflow.stages, shard):
            known = {"units": _unit_columns(shard, workflow.units(shard, workflow.scores[0]))}
            tables += [_scores(reader, workflow, shard, score, known) for score in workflow.scores]
    return pa.concat_tables(tables)


def ceiling_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`CEILINGS_SCHEMA`: one row per person of every shard that has its ceilings."""
    tables = [CEILINGS_SCHEMA.empty_table()]
    reader = _Reader(results, progress)
    figures = [name for name in CEILINGS_SCHEMA.names if name not in ("subject", "cluster", "outcome")]
    for shard in plan.shards:
        if progress.overlays(workflow.ceilings, shard) < 0:
            continue
        table = reader.columns(workflow.ceilings, shard, ["subject", "outcome", *figures])
        clusters = {subject.key: subject.cluster for subject in shard.subjects}
        table = table.append_column("cluster", pa.array([clusters[key] for key in table["subject"].to_pylist()]))
        tables.append(table.select(CEILINGS_SCHEMA.names).cast(CEILINGS_SCHEMA))
    return pa.concat_tables(tables)


def pa_ids(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> set[str]:
    """What PA compared with, over all people: "summary_ref", "mean_caption" for those who have no second summary, or both."""
    reader, found = _Reader(results, progress), set()
    for shard in plan.shards:
        if progress.overlays(workflow.ceilings, shard) >= 0:
            found |= set(reader.columns(workflow.ceilings, shard, ["pa_id"])["pa_id"].to_pylist())
    return found - {None}


class _Reader:
    """Columns of a stage on a shard, rows sorted by unit: results of one shard line up without a join."""

    def __init__(self, results: Results, progress: Progress) -> None:
        self._results, self._progress = results, progress

    def columns(self, stage: Any, shard: Shard, names: list[str]) -> pa.Table:
        return self._results.merged(stage, shard.key, overlays=self._progress.overlays(stage, shard), columns=names)


def _unit_columns(shard: Shard, units: list[Unit]) -> pa.Table:
    """Who and what each unit is, sorted by unit."""
    subjects = {subject.key: subject for subject in shard.subjects}
    columns: dict[str, list[str]] = {name: [] for name in ("unit", "subject", "person", "cluster", "query", "family", "task", "breadth")}
    for unit in sorted(units, key=lambda unit: unit.key):
        assert unit.query is not None
        subject, query = subjects[unit.subject], unit.query
        values = (unit.key, subject.key, subject.id, subject.cluster, query.id, query.family, query.task, query.breadth)
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    return pa.table(columns)


def _scores(reader: _Reader, workflow: Vptt, shard: Shard, score: Score, known: dict[str, pa.Table]) -> pa.Table:
    prompt = score.embedding.prompt
    units = known["units"]
    scores = reader.columns(score, shard, ["outcome", "code", "message", *METRICS])
    prompts = reader.columns(prompt, shard, ["prompt", "words"])
    embeddings = reader.columns(score.embedding, shard, ["truncated"])
    evidence_stage = workflow.evidence[prompt.budget.name]
    if prompt.retrieves and evidence_stage.id not in known:
        known[evidence_stage.id] = reader.columns(evidence_stage, shard, ["n_eff", "cap_binds"])
    evidence = known.get(evidence_stage.id) if prompt.retrieves else None
    rows = units.num_rows
    for table in (scores, prompts, embeddings, *([evidence] if evidence else [])):
        if not pc.all(pc.equal(table["unit"].combine_chunks(), units["unit"].combine_chunks())).as_py():
            raise RuntimeError(f"the results of shard {shard.key} do not line up")
    constant = {
        "method": prompt.method.name,
        "writer": prompt.writer,
        "backbone": prompt.writer_id,
        "budget": prompt.budget.name,
        "extractive": prompt.writer == "template" and METHODS[prompt.method.name].extractive,
    }
    columns: dict[str, Any] = {
        **{name: units[name] for name in units.column_names if name != "unit"},
        **{name: pa.repeat(value, rows) for name, value in constant.items()},
        **{name: scores[name] for name in ("outcome", "code", "message", *METRICS)},
        "prompt": prompts["prompt"],
        "words": prompts["words"],
        "truncated": embeddings["truncated"],
        "n_eff": evidence["n_eff"] if evidence else pa.nulls(rows),
        "cap_binds": evidence["cap_binds"] if evidence else pa.nulls(rows),
    }
    return pa.table([columns[name] for name in SCORES_SCHEMA.names], names=SCORES_SCHEMA.names).cast(SCORES_SCHEMA)
