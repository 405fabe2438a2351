"""Whether the order of the methods depends on who writes: the orders by two writers, on the cases that both wrote for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.report.cases import Cases, Grid
from engine.report.common_cases import common_values, competitors
from engine.report.data import METRICS
from engine.report.rows import rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Integers
from engine.statistics.order_agreement import order_agreement


@dataclass(frozen=True, slots=True)
class WriterAgreement:
    """Kendall's tau-b between the orders of the `methods` that are judged under two writers, with its 95 % interval over people.

    `reversed_pairs` counts pairs whose means stand the other way round.
    """

    task: str
    budget: str
    writer: str
    backbone: str
    other_writer: str
    other_backbone: str
    metric: str
    tau: float | None
    low: float | None
    high: float | None
    methods: int
    reversed_pairs: int
    n: int
    clusters: int


def writer_agreement(cases: Cases, grids: Sequence[Grid], people: ClusterBootstrap, metric: str) -> Iterator[WriterAgreement]:
    """Every two settings of one budget, the one that stands first in `grids` first, by task."""
    for one, two in combinations(grids, 2):
        if one.setting.budget == two.setting.budget:
            yield from _agreement(cases, one, two, people, metric)


def _agreement(cases: Cases, one: Grid, two: Grid, people: ClusterBootstrap, metric: str) -> Iterator[WriterAgreement]:
    here, there = _shared(cases, one, two)
    names = [method for method in _judged(one) if method in _judged(two)]
    k = METRICS.index(metric)
    first, second = (
        common_values(grid)[rows][:, [grid.methods.index(name) for name in names], k] for grid, rows in ((one, here), (two, there))
    )
    for task, of_task in one.groups():
        chosen = of_task[here]
        known = np.isfinite(first[chosen]).any(axis=0) & np.isfinite(second[chosen]).any(axis=0)
        found = order_agreement(people, one.cluster[here][chosen], first[chosen][:, known], second[chosen][:, known])
        if found is not None:
            yield WriterAgreement(
                task=task, budget=one.setting.budget, writer=one.setting.writer, backbone=one.setting.backbone,
                other_writer=two.setting.writer, other_backbone=two.setting.backbone, metric=metric, tau=rounded(found.tau),
                low=rounded(found.low), high=rounded(found.high), methods=int(known.sum()), reversed_pairs=found.reversed_pairs,
                n=found.n, clusters=found.clusters,
            )  # fmt: skip


def _judged(grid: Grid) -> list[str]:
    chosen = competitors(grid) & ~grid.extractive
    return [method for m, method in enumerate(grid.methods) if chosen[m]]


def _shared(cases: Cases, one: Grid, two: Grid) -> tuple[Integers, Integers]:
    """For each case that both grids have, its row in either."""
    places = {case: index for index, case in enumerate(_cases(cases, two))}
    both = [(index, places[case]) for index, case in enumerate(_cases(cases, one)) if case in places]
    return np.array([here for here, _ in both], dtype=np.int64), np.array([there for _, there in both], dtype=np.int64)


def _cases(cases: Cases, grid: Grid) -> list[tuple[str, str, str]]:
    rows = grid.row.max(axis=1)
    columns = [cases.table.column(name).take(rows).to_pylist() for name in ("subject", "task", "query")]
    return list(zip(*columns, strict=True))
