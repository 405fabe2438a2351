"""Two runs against each other: whether they may be compared at all, and the paired differences of their methods on shared cases.

A case is a person and a query; two runs share it if the person's profile and the query are the same to the letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.metrics.definition import VpttDefinition
from engine.report.cases import Cases, Grid, cases_of
from engine.report.data import CONTROLS, METRICS, REID_METRICS, method_rank
from engine.report.rows import rounded
from engine.statistics.estimates import FEWEST_CLUSTERS, Flags, percentile_interval, ratio
from engine.statistics.two_way import TwoWayBootstrap

A, B = "a:", "b:"
_SETTING = ("writer", "backbone", "budget")


@dataclass(frozen=True)
class Side:
    """One run: what its figures mean, and its rows of `SCORES_SCHEMA` under its first writer and budget."""

    name: str
    metric: str
    """Its preset's own score, "v" or "v_c"."""
    definition: VpttDefinition
    second: VpttDefinition | None
    gallery: str
    """What names the people among whom it re-identifies."""
    scores: pa.Table


@dataclass(frozen=True, slots=True)
class Versus:
    """Mean of A's method less B's over the `n` cases in which both have a value, with its 95 % interval; None where there is none.

    `only_a` and `only_b` count cases in which only one has a value. With `post_hoc` both methods are the best of their runs, chosen from
    these same cases, anew in each resample.
    """

    method: str
    other: str
    metric: str
    mean_a: float | None
    mean_b: float | None
    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    only_a: int
    only_b: int
    post_hoc: bool = False


def scale_of(metric: str) -> str:
    """The preset that a metric belongs to, "v" or "v_c"; "" for the parts of both."""
    words = metric.split("_")
    if "c" in words:
        return "v_c"
    return "v" if "v" in words or metric in ("gain", "gain_u", "second_gain") else ""


def refusal(a: Side, b: Side, metric: str) -> list[str]:
    """Why the metric of two runs cannot be compared, a line a choice in which they differ; empty if it can."""
    lines = [f"{side.name} is scored with {side.metric}, {metric} is of the other scale" for side in (a, b) if _other_scale(side, metric)]
    pairs = [("", a.definition, b.definition)]
    if metric.startswith("second_"):
        if a.second is None or b.second is None:
            return [*lines, f"{(a if a.second is None else b).name} has no second space"]
        pairs.append(("second ", a.second, b.second))
    for which, one, other in pairs:
        lines += [f"{which}{name}: {ours} against {theirs}" for name, (ours, theirs) in one.differences(other).items()]
    if metric in REID_METRICS and a.gallery != b.gallery:
        lines.append("gallery: each run looks among other people")
    return lines


def _other_scale(side: Side, metric: str) -> bool:
    return scale_of(metric) not in ("", side.metric)


def versus(a: Side, b: Side, metric: str, seed: int) -> list[Versus]:
    """A's methods less B's of the same name, then A's best against B's. Raises InputError as `cases_of`."""
    cases = cases_of(pa.concat_tables([_labelled(a.scores, A), _labelled(b.scores, B)]))
    if not cases.grids:
        return []
    grid, bootstrap = cases.grids[0], TwoWayBootstrap(cases.clusters, cases.task_of_family, seed)
    shared = sorted({name[2:] for name in grid.methods if A + name[2:] in grid.methods and B + name[2:] in grid.methods}, key=method_rank)
    found = [_difference(grid, bootstrap, name, name, metric) for name in shared]
    return [*found, *_best(cases, grid, bootstrap, metric)]


def _labelled(scores: pa.Table, side: str) -> pa.Table:
    """The rows with their methods named by side, all under one setting, so that both runs' rows of a case stand in one line of a grid."""
    columns = {"method": pc.binary_join_element_wise(side, scores["method"], "")}
    columns |= {name: pa.array([""] * len(scores), pa.string()) for name in _SETTING}
    for name, column in columns.items():
        scores = scores.set_column(scores.schema.get_field_index(name), scores.schema.field(name), column)
    return scores


def _difference(grid: Grid, bootstrap: TwoWayBootstrap, method: str, other: str, metric: str) -> Versus:
    k = METRICS.index(metric)
    ours, theirs = (grid.values[:, grid.methods.index(name), k] for name in (A + method, B + other))
    both = np.isfinite(ours) & np.isfinite(theirs)
    everything = np.ones(len(ours), dtype=np.bool_)
    estimates = bootstrap.mean(grid.where(everything), (ours - theirs)[:, None])
    return Versus(
        method, other, metric,
        rounded(ours[both].mean()) if both.any() else None,
        rounded(theirs[both].mean()) if both.any() else None,
        rounded(estimates.mean[0]), rounded(estimates.low[0]), rounded(estimates.high[0]),
        int(both.sum()), int(estimates.clusters[0]),
        int((np.isfinite(ours) & ~both).sum()), int((np.isfinite(theirs) & ~both).sum()),
    )  # fmt: skip


def _best(cases: Cases, grid: Grid, bootstrap: TwoWayBootstrap, metric: str) -> Iterator[Versus]:
    """The best of each run that may be judged, over the cases in which all of those have a value."""
    k = METRICS.index(metric)
    sides = [_judged(grid, side, k) for side in (A, B)]
    if not all(side.any() for side in sides):
        return
    columns = np.flatnonzero(sides[0] | sides[1])
    values = grid.values[:, columns, k]
    whole = np.isfinite(values).all(axis=1)
    if not whole.any():
        return
    means = values[whole].mean(axis=0)
    best = [int(columns[np.where(side[columns], means, -np.inf).argmax()]) for side in sides]
    ours, theirs = (grid.methods[column][2:] for column in best)
    found = _difference(grid, bootstrap, ours, theirs, metric)
    people, cluster = bootstrap.people, grid.cluster[whole]
    sums = people.per_cluster(cluster, np.concatenate([values[whole], np.ones((len(values[whole]), 1))], axis=1))
    totals = people.totals(sums)
    drawn = ratio(totals[:, :-1], totals[:, -1:])
    gaps = drawn[:, sides[0][columns]].max(axis=1) - drawn[:, sides[1][columns]].max(axis=1)
    clusters = len(np.unique(cluster))
    low, high = percentile_interval(gaps[:, None]) if clusters >= FEWEST_CLUSTERS else (np.full(1, np.nan), np.full(1, np.nan))
    mean_a, mean_b = (float(grid.values[whole, column, k].mean()) for column in best)
    yield Versus(
        ours, theirs, metric, rounded(mean_a), rounded(mean_b), rounded(mean_a - mean_b), rounded(low[0]), rounded(high[0]),
        int(whole.sum()), clusters, found.only_a, found.only_b, post_hoc=True,
    )  # fmt: skip


def _judged(grid: Grid, side: str, k: int) -> Flags:
    """(methods,) those of a side that compete, are not extractive, and have a value at all."""
    named = np.array([name.startswith(side) and name[2:] not in CONTROLS for name in grid.methods], dtype=np.bool_)
    return np.asarray(named & ~grid.extractive & np.isfinite(grid.values[:, :, k]).any(axis=0))
