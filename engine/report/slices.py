"""Where the leading pair's difference holds: the same difference in every slice of the cases, as many tests that are looked through.

Slices overlap and are many, so each has Benjamini and Hochberg's q value over all of them; the verdict rests on none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engine.report.cases import Cases, Grid
from engine.report.common_cases import common_values
from engine.report.data import METRICS
from engine.report.rows import rounded
from engine.statistics.estimates import Flags
from engine.statistics.multiple_testing import benjamini_hochberg
from engine.statistics.simultaneous import family_of
from engine.statistics.two_way import TwoWayBootstrap

KINDS_OF_SLICE = ("task", "breadth", "family")


@dataclass(frozen=True, slots=True)
class Slice:
    """Mean of method - other in one slice of the cases with its own 95 % interval; `q` counts in all slices with a p value."""

    kind: str
    value: str
    method: str
    other: str
    budget: str
    writer: str
    backbone: str
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    q: float | None
    n: int
    clusters: int
    families: int


def slices(cases: Cases, grid: Grid, bootstrap: TwoWayBootstrap, metric: str, pair: tuple[str, str]) -> Iterator[Slice]:
    """The difference between the two methods of `pair` in every task, breadth and query family."""
    one, two = (grid.methods.index(method) for method in pair)
    values = common_values(grid)[:, :, METRICS.index(metric)]
    lead = values[:, [one]] - values[:, [two]]
    found = []
    for kind, value, chosen in _slices(cases, grid):
        resampled = bootstrap.resampled(grid.where(chosen), lead[chosen])
        estimates = resampled.estimates()
        if estimates.n[0]:
            found.append((kind, value, estimates, float(family_of(resampled).p[0])))
    q = benjamini_hochberg(np.array([p for *_, p in found], dtype=np.float64))
    for (kind, value, estimates, p), of_all in zip(found, q, strict=True):
        yield Slice(
            kind, value, *pair, **asdict(grid.setting), metric=metric,
            mean=rounded(estimates.mean[0]), low=rounded(estimates.low[0]), high=rounded(estimates.high[0]), p=rounded(p),
            q=rounded(of_all), n=int(estimates.n[0]), clusters=int(estimates.clusters[0]), families=int(estimates.families[0]),
        )  # fmt: skip


def _slices(cases: Cases, grid: Grid) -> Iterator[tuple[str, str, Flags]]:
    rows = grid.row.max(axis=1)  # every row of a case carries the query's own labels
    for kind in KINDS_OF_SLICE:
        labels = np.array(cases.table.column(kind).to_pylist(), dtype=object)[rows]
        for label in sorted({*labels.tolist()} - {""}):
            yield kind, str(label), np.asarray(labels == label, dtype=np.bool_)
