"""The paper's scale table: for each writer and group of tasks, every method's mean and Cohen's d of the row's best over it.

A view of results and effects that exist: nothing is computed a second time.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from engine.report.data import CONTROLS, Setting
from engine.report.rows import Coverage, Effect, Result
from engine.report.writing import Writing


@dataclass(frozen=True, slots=True)
class ScaleCell:
    """One method in one row of the scale table: a writer's prompts for a task or group of tasks.

    `d` is pooled, of the row's best judged method over this one, post hoc; the best has none and `is_best`. `n` cases carry the mean;
    the other counts are how the method's units ended. An `extractive` method is never the best.
    """

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    stand_in: bool
    extractive: bool
    is_best: bool
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    d: float | None
    d_low: float | None
    d_high: float | None
    n: int
    clusters: int
    answered: int
    refused: int
    unparsed: int
    failed: int
    absent: int


def scale(
    outcomes: Sequence[Coverage],
    results: Sequence[Result],
    effects: Sequence[Effect],
    writing: Sequence[Writing],
    *,
    metric: str,
    stand_ins: Container[str],
) -> Iterator[ScaleCell]:
    """A cell for every competing method of every setting and group of tasks, in the order of `outcomes`."""
    means = {_place(row): row for row in results if row.metric == metric}
    ds = {_place(row): row for row in effects if row.metric == metric}
    pasting = {(_setting(row), row.method) for row in writing if row.extractive}
    for row in outcomes:
        if row.method in CONTROLS:
            continue
        mean, d = means.get(_place(row)), ds.get(_place(row))
        is_best = d is not None and d.best == d.method
        yield ScaleCell(
            method=row.method, task=row.task, budget=row.budget, writer=row.writer, backbone=row.backbone,
            stand_in=row.writer in stand_ins, extractive=(_setting(row), row.method) in pasting, is_best=is_best, metric=metric,
            mean=mean.mean if mean else None, low=mean.low if mean else None, high=mean.high if mean else None,
            d=d.pooled if d else None, d_low=d.pooled_low if d else None, d_high=d.pooled_high if d else None,
            n=mean.n if mean else 0, clusters=mean.clusters if mean else 0,
            answered=row.answered, refused=row.refused, unparsed=row.unparsed, failed=row.failed, absent=row.absent,
        )  # fmt: skip


def _setting(row: Coverage | Result | Effect | Writing) -> Setting:
    return Setting(row.writer, row.backbone, row.budget)


def _place(row: Coverage | Result | Effect) -> tuple[Setting, str, str]:
    return _setting(row), row.task, row.method
