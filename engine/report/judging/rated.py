"""Ratings from 0 to 5: means with intervals, differences, wins and effects by method and judge, each judge apart.

All judges of a pool, the run's own score and people stand as columns of one grid of cases, so that each is compared on the same units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.judging.rubric import HIGHEST, LOWEST
from engine.report.cases import Cases, Grid, cases_of
from engine.report.comparison import differences, effects, results, wins
from engine.report.judging.data import Humans
from engine.report.judging.rows import Ratings, Spread
from engine.statistics.two_way import TwoWayBootstrap

METRIC, HUMAN = "value:metric", "value:human"
"""Columns of a grid beside the judges': the run's own score, and people's mean rating."""

_KEYS = ("subject", "person", "cluster", "query", "family", "task", "method", "writer", "backbone", "budget")
_OUTPUT = ("subject", "query", "method", "writer", "backbone", "budget")


@dataclass(frozen=True, slots=True)
class Graded:
    """The grids of all pools that judges look at in one way, and the resamples of their people and query families."""

    cases: Cases
    bootstrap: TwoWayBootstrap


def graded(ratings: pa.Table, judges: Sequence[str], metric: pa.Table | None, humans: Humans | None, seed: int) -> Graded:
    """The ratings of one renderer, looked at in one way. `metric` and `humans` as for `summarise_judging`."""
    table = ratings.group_by(list(_KEYS)).aggregate([])
    columns = list[str]()
    for judge in judges:
        mine = ratings.filter(pc.and_(pc.equal(ratings["judge"], judge), pc.equal(ratings["outcome"], "answered")))
        table, columns = _joined(table, mine, (*_OUTPUT, "task"), "score", judge), [*columns, judge]
    if metric is not None:
        table, columns = _joined(table, metric, (*_OUTPUT, "task"), "value", METRIC), [*columns, METRIC]
    if humans is not None and len(humans.ratings):
        mean = humans.ratings.group_by(list(_OUTPUT)).aggregate([("score", "mean")])
        table, columns = _joined(table, mean, _OUTPUT, "score_mean", HUMAN), [*columns, HUMAN]
    rows = len(table)
    table = table.append_column("outcome", pa.repeat(pa.scalar("answered"), rows))
    table = table.append_column("extractive", pa.repeat(pa.scalar(False), rows))
    schema = pa.schema(
        [*(pa.field(name, pa.string(), nullable=False) for name in (*_KEYS, "outcome")), pa.field("extractive", pa.bool_(), nullable=False)]
        + [pa.field(name, pa.float64()) for name in columns]
    )
    cases = cases_of(table, schema, tuple(columns))
    return Graded(cases, TwoWayBootstrap(cases.clusters, cases.task_of_family, seed))


def ratings_of(found: Graded, grid: Grid) -> Ratings:
    """All figures of one pool."""
    return Ratings(
        tuple(results(grid, found.bootstrap)),
        tuple(differences(grid, found.bootstrap, [name for name in grid.metrics if name not in (METRIC, HUMAN)])),
        tuple(wins(grid, found.cases.task_of_family)),
        tuple(effects(grid, found.bootstrap.people, grid.metrics)),
        tuple(_spreads(grid)),
    )


def _spreads(grid: Grid) -> Iterator[Spread]:
    levels = HIGHEST - LOWEST + 1
    for k, judge in enumerate(grid.metrics):
        for m, method in enumerate(grid.methods) if judge not in (METRIC, HUMAN) else ():
            given = grid.values[:, m, k]
            given = given[np.isfinite(given)]
            if len(given):
                counts = np.bincount(np.floor(given + 0.5).astype(np.int64) - LOWEST, minlength=levels)
                yield Spread(judge, method, tuple(int(count) for count in counts))


def _joined(table: pa.Table, other: pa.Table, keys: Sequence[str], value: str, name: str) -> pa.Table:
    """`table` with another's column under a name, null where the other has no such row."""
    found = other.select([*keys, value]).rename_columns([*keys, name])
    return table.join(found, keys=list(keys), join_type="left outer")
