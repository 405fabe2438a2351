"""From committed results to the tables that a report is made of; columns only, no row is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.metrics.scored import STRANGER
from engine.report.data import CEILINGS_SCHEMA, PART_METRICS, REID_METRICS, REID_SIZES, SCORE_METRICS, SCORES_SCHEMA
from engine.stage import Stage
from engine.stages.cross import CROSS, MATCHED
from engine.stages.prompt import Prompt, WritePrompt
from engine.store.plans import Plan, Shard
from engine.store.results import Results, Wanted
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.result_columns import Beside, ended, unit_columns
from jobs.vptt import Entrant, Vptt

_OF_SCORE = (*SCORE_METRICS, *PART_METRICS)
_GAINS = {"gain": "v", "gain_u": "v_u", "gain_c": "v_c", "gain_pa": "pa", "gain_gs": "gs", "gain_cp": "cp_unit", "gain_nv": "nv"}
_SECOND = {"second_v": "v", "second_v_u": "v_u", "second_v_c": "v_c"}
_SECOND_GAINS = {"second_gain": "v", "second_gain_c": "v_c"}
_REPLY = ("finish", "model", "input_tokens", "output_tokens")
_BESIDE_REID = ("near_own", "near_other", *REID_SIZES.values())
_CROSS = {f"{begin}{name}": f"{begin}{name}" for begin in (CROSS, MATCHED) for name in ("v", "v_u", "v_c", "gs")}


def score_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`SCORES_SCHEMA`: one row per unit x entrant of every finished shard, so that all methods stand on the same cases."""
    tables = [SCORES_SCHEMA.empty_table()]
    # What needs everyone comes last; until then its columns are empty.
    shards = [shard for shard in plan.shards if progress.is_done(workflow.phases[0], shard)]
    found = results.merged_many(wanted for shard in shards for wanted in _of_shard(workflow, shard, progress))
    for shard in shards:
        read = {wanted.stage.id: next(found) for wanted in _of_shard(workflow, shard, progress)}
        for entrant in workflow.entrants:
            units = unit_columns(shard, workflow.units(shard, entrant.score))
            tables.append(_scores(entrant, units, read))
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


def _of_shard(workflow: Vptt, shard: Shard, progress: Progress) -> Iterator[Wanted]:
    """What `score_table` reads of a shard."""
    for stage, columns in _columns_read(workflow).values():
        if progress.overlays(stage, shard) != ABSENT:
            yield progress.wanted(stage, shard, columns)


def _columns_read(workflow: Vptt) -> dict[str, tuple[Stage[Any], Sequence[str]]]:
    """Each stage that a report reads, once, by its id."""
    stages: list[tuple[Stage[Any] | None, Sequence[str]]] = []
    for entrant in workflow.entrants:
        prompt = entrant.prompt
        stages += [
            (prompt.retrieved, ["n_eff", "cap_binds"]),
            (prompt, ["outcome", "raw", "prompt", "words", "cut", *_replies(prompt)]),
            (entrant.score.embedding, ["truncated"]),
            (entrant.score, ["outcome", "code", "message", *_OF_SCORE, *(STRANGER + name for name in _GAINS.values())]),
            (entrant.second, ["outcome", *_SECOND.values(), *(STRANGER + name for name in _SECOND_GAINS.values())]),
            (entrant.cross, ["outcome", *_CROSS.values()]),
            (entrant.reid, ["outcome", *REID_METRICS, *_BESIDE_REID]),
        ]
    return {stage.id: (stage, columns) for stage, columns in stages if stage is not None}


def _replies(prompt: Prompt) -> list[str]:
    """What its rows keep of a language model's replies."""
    return [name for name in _REPLY if name in prompt.payload.names]


def _scores(entrant: Entrant, units: pa.Table, read: Mapping[str, pa.Table]) -> pa.Table:
    prompt, rows = entrant.prompt, units.num_rows
    scores, second, cross = (Beside(units, read, stage) for stage in (entrant.score, entrant.second, entrant.cross))
    reid = Beside(units, read, entrant.reid)
    prompts, retrieved = Beside(units, read, prompt), Beside(units, read, prompt.retrieved)
    constant = {
        "method": prompt.label,
        "writer": prompt.writer,
        "backbone": prompt.writer_id,
        "budget": prompt.budget.name,
        "extractive": prompt.is_extractive,
        "written": isinstance(prompt, WritePrompt),
    }
    columns: dict[str, Any] = {
        **{name: units[name] for name in units.column_names if name != "unit"},
        **{name: pa.repeat(value, rows) for name, value in constant.items()},
        **ended(scores, prompts),
        **{name: scores.column(name) for name in _OF_SCORE},
        **{name: scores.less(of, STRANGER + of) for name, of in _GAINS.items()},
        **{name: second.column(of) for name, of in _SECOND.items()},
        **{name: second.less(of, STRANGER + of) for name, of in _SECOND_GAINS.items()},
        **{name: cross.column(of) for name, of in _CROSS.items()},
        **{name: reid.column(name) for name in (*REID_METRICS, *_BESIDE_REID)},
        **{name: prompts.column(name) for name in ("prompt", "words", "cut", *_replies(prompt))},
        "truncated": Beside(units, read, entrant.score.embedding).column("truncated"),
        "n_eff": retrieved.column("n_eff"),
        "cap_binds": retrieved.column("cap_binds"),
        "beside_failed": _any_failed(second, cross, reid),
    }
    absent = pa.nulls(rows)
    return pa.table([columns.get(name, absent) for name in SCORES_SCHEMA.names], names=SCORES_SCHEMA.names).cast(SCORES_SCHEMA)


def _any_failed(*stages: Beside) -> Any:
    """Whether any of a unit's figures beside its score failed."""
    failed = [pc.fill_null(pc.equal(stage.column("outcome").cast(pa.string()), "failed"), False) for stage in stages]
    return pc.or_(pc.or_(failed[0], failed[1]), failed[2])
