"""From image rows to figures with intervals, and to the cases that are worth a look. A pure function, whatever order rows come in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.keys import seed_of
from engine.report.cases import POOLED, Cases, Grid, cases_of
from engine.report.comparison import differences, results
from engine.report.data import OUTCOMES, Setting
from engine.report.images.data import AGAINST, GAINS, ImageFacts, images_schema, metrics_of
from engine.report.rows import Difference, Result, rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.two_way import TwoWayBootstrap

COMPARED = (*AGAINST, *GAINS)
SHOWN = 40
"""Cases in the gallery."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One method's image of a case; `note` says how the unit ended if there is none."""

    method: str
    prompt: str | None
    thumbnail: str | None
    note: str
    cls_t: float | None
    dis_r: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """A person's query with every method's image, the person's gallery and an edit's source. `gap`: largest less least DIS-R."""

    person: str
    query: str
    task: str
    gap: float | None
    source: str | None
    references: tuple[str, ...]
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class GalleryFigure:
    """Mean distance within people's galleries, and between a person's and strangers', with 95 % intervals over people."""

    figure: str
    mean: float | None
    low: float | None
    high: float | None
    people: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """All about one renderer's images. `outcomes`: by method, how many ended in each of the four ways."""

    renderer: str
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    galleries: tuple[GalleryFigure, ...]
    outcomes: tuple[tuple[str, tuple[int, ...]], ...]
    cases: tuple[Case, ...]
    total_cases: int


@dataclass(frozen=True, slots=True)
class ImageSummary:
    """The images of a run."""

    facts: ImageFacts
    run: str
    name: str
    partial: bool
    complete: bool
    setting: Setting | None
    drawn: tuple[Drawn, ...]

    def to_json(self) -> bytes:
        """The bytes of `images.json`: sorted keys, no NaN, one trailing newline."""
        document = {**asdict(self), "definition_id": self.facts.definition.id}
        return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n").encode()

    def thumbnails(self) -> list[str]:
        """Names in the store of every picture that is shown, each once."""
        found: dict[str, None] = {}
        for case in (case for drawn in self.drawn for case in drawn.cases):
            shown = (case.source, *case.references, *(picture.thumbnail for picture in case.pictures))
            found |= dict.fromkeys(name for name in shown if name)
        return list(found)


def summarise_images(
    facts: ImageFacts, images: pa.Table, galleries: pa.Table, *, run: str, name: str, partial: bool, complete: bool, setting: Setting | None
) -> ImageSummary:
    """The summary of a run's images; `setting` is the one that the report's verdict is about, and the gallery shows.

    Raises InputError where the rows do not fit `images_schema`, or one unit has two rows.
    """
    drawn = tuple(_drawn(facts, images, galleries, renderer, run, setting) for renderer in facts.renderers)
    return ImageSummary(facts, run, name, partial, complete, setting, drawn)


def _drawn(facts: ImageFacts, images: pa.Table, galleries: pa.Table, renderer: str, run: str, setting: Setting | None) -> Drawn:
    metrics = metrics_of(facts.definition)
    mine = images.filter(pc.equal(images["renderer"], renderer))
    cases = cases_of(mine, images_schema(facts.definition), metrics)
    bootstrap = TwoWayBootstrap(cases.clusters, cases.task_of_family, seed_of(run, "report", "images", renderer))
    chosen = next((grid for grid in cases.grids if grid.setting == setting), cases.grids[0] if cases.grids else None)
    galleries = galleries.filter(pc.equal(galleries["renderer"], renderer)).sort_by("subject")
    return Drawn(
        renderer,
        tuple(row for grid in cases.grids for row in results(grid, bootstrap)),
        tuple(row for grid in cases.grids for row in differences(grid, bootstrap, COMPARED) if row.task == POOLED),
        tuple(_gallery_figures(galleries, run)),
        tuple(_outcomes(chosen)) if chosen else (),
        tuple(_shown(cases, chosen, galleries)) if chosen else (),
        len(chosen.row) if chosen else 0,
    )


def _outcomes(grid: Grid) -> Iterator[tuple[str, tuple[int, ...]]]:
    for m, method in enumerate(grid.methods):
        yield method, tuple(int((grid.outcome[:, m] == code).sum()) for code in range(len(OUTCOMES)))


def _gallery_figures(galleries: pa.Table, run: str) -> Iterator[GalleryFigure]:
    labels = galleries["cluster"].to_pylist()
    places = {label: place for place, label in enumerate(sorted(set(labels)))}
    cluster = np.array([places[label] for label in labels], np.int64)
    bootstrap = ClusterBootstrap(len(places), seed_of(run, "report", "galleries"))
    for name in ("within", "within_lpips", "between"):
        values = galleries[name].to_numpy(zero_copy_only=False).astype(np.float64)[:, None]
        found = bootstrap.resampled(cluster, values).estimates()
        yield GalleryFigure(name, rounded(found.mean[0]), rounded(found.low[0]), rounded(found.high[0]), int(found.n[0]))


def _shown(cases: Cases, grid: Grid, galleries: pa.Table) -> Iterator[Case]:
    """The cases on which methods differ most, then those without any figure."""
    figures = grid.values[:, :, grid.metrics.index("dis_r")]
    known = np.isfinite(figures)
    high, low = np.where(known, figures, -np.inf).max(axis=1), np.where(known, figures, np.inf).min(axis=1)
    gap = np.where(known.sum(axis=1) > 1, high - low, -1.0)
    references = dict(zip(galleries["subject"].to_pylist(), galleries["thumbnails"].to_pylist(), strict=True))
    order = sorted(range(len(gap)), key=lambda case: (-gap[case], case))[:SHOWN]
    for case in order:
        rows = [(method, cases.table.slice(int(row), 1).to_pylist()[0]) for method, row in _rows_of(grid, case)]
        first = rows[0][1]
        yield Case(
            first["person"],
            first["query"],
            first["task"],
            rounded(gap[case]) if gap[case] >= 0 else None,
            next((row["source_thumbnail"] for _, row in rows if row["source_thumbnail"]), None),
            tuple(references.get(first["subject"]) or ()),
            tuple(_picture(method, row) for method, row in rows),
        )


def _rows_of(grid: Grid, case: int) -> Sequence[tuple[str, int]]:
    return [(method, row) for method, row in zip(grid.methods, grid.row[case].tolist(), strict=True) if row >= 0]


def _picture(method: str, row: dict[str, Any]) -> Picture:
    note = "" if row["outcome"] == "answered" else f"{row['outcome']}: {row['code'] or row['message'] or ''}".rstrip(": ")
    return Picture(method, row["prompt"], row["thumbnail"], note, row["cls_t"], row["dis_r"])
