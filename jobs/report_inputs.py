"""From committed results to the tables that a report is made of; columns only, no row is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from engine.prompting.methods import METHODS
from engine.report.data import CEILINGS_SCHEMA, METRICS, SCORES_SCHEMA
from engine.stage import Unit
from engine.stages.retrieve import Retrieve
from engine.stages.score import Score
from engine.store.plans import Plan, Shard
from engine.store.results import Results, Wanted
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.vptt import Vptt


def score_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`SCORES_SCHEMA`: one row per unit x method x writer of every finished shard, so that all methods stand on the same cases."""
    tables = [SCORES_SCHEMA.empty_table()]
    shards = [shard for shard in plan.shards if progress.is_done(workflow.stages, shard)]
    found = results.merged_many(wanted for shard in shards for wanted in _of_scores(workflow, shard, progress))
    for shard in shards:
        units = _unit_columns(shard, workflow.units(shard, workflow.scores[0]))
        evidence = {stage.id: _beside(units, next(found), shard) for stage in _evidence(workflow)}
        for score in workflow.scores:
            scores, prompts, embeddings = (_beside(units, next(found), shard) for _ in range(3))
            retrieved = evidence[_evidence_of(workflow, score).id] if score.embedding.prompt.retrieves else None
            tables.append(_scores(score, units, scores, prompts, embeddings, retrieved))
    return pa.concat_tables(tables)


def ceiling_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> tuple[pa.Table, set[str]]:
    """`CEILINGS_SCHEMA`: one row per person of every shard that has its ceilings; and what PA compared with, over all people:
    "summary_ref", "mean_caption" for those who have no second summary, or both."""
    tables, compared = [CEILINGS_SCHEMA.empty_table()], set[str]()
    figures = [name for name in CEILINGS_SCHEMA.names if name not in ("subject", "cluster", "outcome")]
    shards = [shard for shard in plan.shards if progress.overlays(workflow.ceilings, shard) != ABSENT]
    columns = ["subject", "outcome", "pa_id", *figures]
    found = results.merged_many(progress.wanted(workflow.ceilings, shard, columns) for shard in shards)
    for shard, table in zip(shards, found, strict=True):
        compared |= set(table["pa_id"].drop_null().to_pylist())
        clusters = {subject.key: subject.cluster for subject in shard.subjects}
        table = table.append_column("cluster", pa.array([clusters[key] for key in table["subject"].to_pylist()]))
        tables.append(table.select(CEILINGS_SCHEMA.names).cast(CEILINGS_SCHEMA))
    return pa.concat_tables(tables), compared


def _of_scores(workflow: Vptt, shard: Shard, progress: Progress) -> Iterator[Wanted]:
    """What `score_table` reads of a shard, in the order in which it does."""
    for stage in _evidence(workflow):
        yield progress.wanted(stage, shard, ["n_eff", "cap_binds"])
    for score in workflow.scores:
        yield progress.wanted(score, shard, ["outcome", "code", "message", *METRICS])
        yield progress.wanted(score.embedding.prompt, shard, ["prompt", "words"])
        yield progress.wanted(score.embedding, shard, ["truncated"])


def _evidence(workflow: Vptt) -> list[Retrieve]:
    """The retrieval stages that some method reads, each once."""
    read = [_evidence_of(workflow, score) for score in workflow.scores if score.embedding.prompt.retrieves]
    return list({stage.id: stage for stage in read}.values())


def _evidence_of(workflow: Vptt, score: Score) -> Retrieve:
    return workflow.evidence[score.embedding.prompt.budget.name]


def _beside(units: pa.Table, table: pa.Table, shard: Shard) -> pa.Table:
    """`table`, whose rows must stand in the order of `units`: results of one shard line up without a join."""
    if not table["unit"].combine_chunks().equals(units["unit"].combine_chunks()):
        raise RuntimeError(f"the results of shard {shard.key} do not line up")
    return table


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


def _scores(
    score: Score, units: pa.Table, scores: pa.Table, prompts: pa.Table, embeddings: pa.Table, evidence: pa.Table | None
) -> pa.Table:
    prompt, rows = score.embedding.prompt, units.num_rows
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
