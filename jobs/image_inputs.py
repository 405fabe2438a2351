"""From committed results to the tables of the report's images; columns only, no row is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from engine.metrics.images import ImageDefinition
from engine.report.images.data import AGAINST, GALLERIES_SCHEMA, GRAY, OTHERS, images_schema, quality_columns
from engine.stage import Stage
from engine.stages.image_scores import ScoreGallery, ScoreImage
from engine.store.plans import Plan, Shard
from engine.store.results import Results, Wanted
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.result_columns import Beside, ended, unit_columns
from jobs.vptt import Vptt

_GAINS = {"gain_cls_r": "cls_r", "gain_dis_r": "dis_r"}
_STRANGER = "stranger_"
_FIGURES = (*AGAINST, *GRAY, *OTHERS, *(_STRANGER + name for name in _GAINS.values()), "quality")


def image_table(workflow: Vptt, definition: ImageDefinition, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`images_schema`: one row per unit, method and renderer of every finished shard."""
    tables = [images_schema(definition).empty_table()]
    shards = [shard for shard in plan.shards if progress.is_done(workflow.phases[0], shard)]
    found = results.merged_many(wanted for shard in shards for wanted in _wanted(workflow, shard, progress))
    for shard in shards:
        read = {wanted.stage.id: next(found) for wanted in _wanted(workflow, shard, progress)}
        for score in workflow.drawings.scores:
            units = unit_columns(shard, workflow.units(shard, score))
            tables.append(_rows(score, definition, units, read))
    return pa.concat_tables(tables)


def gallery_table(workflow: Vptt, plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """`GALLERIES_SCHEMA`: one row a person and renderer of every finished shard."""
    scores = workflow.drawings.galleries
    there = [(shard, score) for shard in plan.shards for score in scores if progress.overlays(score, shard) != ABSENT]
    found = results.merged_many(wanted for shard, score in there for wanted in _gallery_wanted(score, shard, progress))
    rows = [_gallery_rows(score, shard, next(found), next(found)) for shard, score in there]
    return pa.concat_tables([GALLERIES_SCHEMA.empty_table(), *rows])


def _wanted(workflow: Vptt, shard: Shard, progress: Progress) -> Iterator[Wanted]:
    stages: dict[str, tuple[Stage[Any], list[str]]] = {}
    for score in workflow.drawings.scores:
        images = score.look.images
        stages[score.id] = (score, ["outcome", "code", "message", *_FIGURES])
        stages[images.id] = (images, ["outcome", "raw", "object", "thumbnail"])
        stages[images.sources.id] = (images.sources, ["thumbnail"])
        stages[images.prompt.id] = (images.prompt, ["outcome", "raw", "prompt"])
    yield from (progress.wanted(stage, shard, columns) for stage, columns in stages.values())


def _rows(score: ScoreImage, definition: ImageDefinition, units: pa.Table, read: Mapping[str, pa.Table]) -> pa.Table:
    images, schema, rows = score.look.images, images_schema(definition), units.num_rows
    prompt = images.prompt
    scores, drawn, prompts, sources = (Beside(units, read, stage) for stage in (score, images, prompt, images.sources))
    constant = {
        "method": prompt.label,
        "writer": prompt.writer,
        "backbone": prompt.writer_id,
        "budget": prompt.budget.name,
        "renderer": images.by.name,
        "extractive": prompt.is_extractive,
    }
    columns: dict[str, Any] = {
        **{name: units[name] for name in units.column_names if name != "unit"},
        **{name: pa.repeat(value, rows) for name, value in constant.items()},
        **ended(scores, prompts, drawn),
        **{name: scores.column(name) for name in (*AGAINST, *GRAY, *OTHERS)},
        **{name: scores.less(of, _STRANGER + of) for name, of in _GAINS.items()},
        **_quality(definition, scores.column("quality")),
        "prompt": prompts.column("prompt"),
        "object": drawn.column("object"),
        "thumbnail": drawn.column("thumbnail"),
        "source_thumbnail": sources.column("thumbnail"),
    }
    return pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema)


def _quality(definition: ImageDefinition, column: Any) -> dict[str, Any]:
    """The list of each row as columns; null where there is no list."""
    names = quality_columns(definition)
    values = [row or [None] * len(names) for row in column.to_pylist()]
    return {name: pa.array([row[number] for row in values], pa.float64()) for number, name in enumerate(names)}


def _gallery_wanted(score: ScoreGallery, shard: Shard, progress: Progress) -> Iterator[Wanted]:
    yield progress.wanted(score, shard, ["subject", "outcome", "within", "within_lpips", "between"])
    yield progress.wanted(score.galleries.galleries, shard, ["subject", "images"])


def _gallery_rows(score: ScoreGallery, shard: Shard, figures: pa.Table, images: pa.Table) -> pa.Table:
    shown = dict(zip(images["subject"].to_pylist(), images["images"].to_pylist(), strict=True))
    clusters = {subject.key: subject.cluster for subject in shard.subjects}
    subjects = figures["subject"].to_pylist()
    columns = {name: figures[name] for name in ("subject", "outcome")}
    columns |= {
        name: np.asarray(figures[name].to_numpy(zero_copy_only=False), np.float64) for name in ("within", "within_lpips", "between")
    }
    columns["cluster"] = pa.array([clusters[subject] for subject in subjects])
    columns["renderer"] = pa.repeat(score.galleries.galleries.by.name, len(subjects))
    columns["thumbnails"] = pa.array(
        [[image["thumbnail"] for image in shown[subject] or ()] for subject in subjects], pa.list_(pa.string())
    )
    return pa.table([columns[name] for name in GALLERIES_SCHEMA.names], names=GALLERIES_SCHEMA.names).cast(GALLERIES_SCHEMA)
