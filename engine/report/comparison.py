"""How the methods of one setting compare: means, paired differences, win shares, Cohen's d, and where two scores order them differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from engine.report.cases import Grid
from engine.report.data import CONTROLS, METRICS
from engine.report.effects import Flags, effects_against_best, win_shares
from engine.report.rows import Difference, Disagreement, Effect, Result, WinShare, rounded
from engine.report.shares import share_estimates
from engine.report.statistics import ClusterBootstrap, Estimates, Floats

COMPARED = {"v": ("v", "v_u", "v_literal"), "v_c": ("v_c", "v_c_literal")}
"""For a preset's own score: the scores in which methods are compared pairwise. V and V-c are never compared with each other."""


def results(grid: Grid, bootstrap: ClusterBootstrap) -> Iterator[Result]:
    """Mean and interval of every metric that has a value, by task and method."""
    for task, cases in grid.groups():
        values = grid.values[cases]
        estimates = bootstrap.mean(grid.cluster[cases], values.reshape(len(values), -1))
        measured = np.asarray(np.isfinite(values).any(axis=(0, 1)))
        for m, method in enumerate(grid.methods):
            if not (grid.row[cases, m] >= 0).any():
                continue
            for k, metric in enumerate(METRICS):
                if measured[k]:
                    figures = _figures(estimates, m * len(METRICS) + k)
                    missing = int(cases.sum()) - figures["n"]
                    yield Result(method=method, task=task, metric=metric, missing=missing, **asdict(grid.setting), **figures)


def differences(grid: Grid, bootstrap: ClusterBootstrap, metrics: Sequence[str]) -> Iterator[Difference]:
    """Paired differences of every two methods, the later one of the list first, over the cases where both have a value."""
    pairs = [(b, a) for a, b in combinations(range(len(grid.methods)), 2)]
    if not pairs:
        return
    later, earlier = (list(side) for side in zip(*pairs, strict=True))
    for task, cases in grid.groups():
        for metric in metrics:
            values = _of(grid, cases, metric)
            estimates = bootstrap.mean(grid.cluster[cases], values[:, later] - values[:, earlier])
            for column, (b, a) in enumerate(pairs):
                figures = _figures(estimates, column)
                if figures["n"]:
                    yield Difference(
                        method=grid.methods[b], other=grid.methods[a], task=task, metric=metric, **asdict(grid.setting), **figures
                    )


def wins(grid: Grid, clusters: int) -> Iterator[WinShare]:
    """Share of cases won, among all methods and, where that differs, among those of the verdict; complete cases only."""
    competing = competitors(grid)
    fields = {"all": competing}
    if (grid.extractive & competing).any():
        fields["verdict"] = competing & ~grid.extractive
    for task, cases in grid.groups():
        columns: list[tuple[str, str, str]] = []
        shares: list[Floats] = []
        for among, chosen in fields.items():
            methods = np.flatnonzero(chosen)
            for metric in METRICS if len(methods) > 1 else ():
                won = win_shares(_of(grid, cases, metric)[:, methods])
                if np.isfinite(won).any():
                    columns += [(among, metric, grid.methods[method]) for method in methods]
                    shares.append(won)
        if not shares:
            continue
        estimates = share_estimates(grid.cluster[cases], np.concatenate(shares, axis=1), clusters)
        for column, (among, metric, method) in enumerate(columns):
            figures = _figures(estimates, column)
            share = figures.pop("mean")
            yield WinShare(method=method, among=among, task=task, metric=metric, share=share, **asdict(grid.setting), **figures)


def effects(grid: Grid, bootstrap: ClusterBootstrap, metrics: Sequence[str]) -> Iterator[Effect]:
    """Cohen's d of the best method of the verdict over every competing method, by task."""
    methods = np.flatnonzero(competitors(grid))
    if len(methods) < 2:
        return
    eligible = ~grid.extractive[methods]
    for task, cases in grid.groups():
        for metric in metrics:
            found = effects_against_best(bootstrap, grid.cluster[cases], _of(grid, cases, metric)[:, methods], eligible)
            if found is None:
                continue
            for column, method in enumerate(methods):
                yield Effect(
                    method=grid.methods[method],
                    best=grid.methods[methods[found.best]],
                    task=task,
                    metric=metric,
                    **asdict(grid.setting),
                    pooled=rounded(found.pooled[column]),
                    pooled_low=rounded(found.pooled_low[column]),
                    pooled_high=rounded(found.pooled_high[column]),
                    paired=rounded(found.paired[column]),
                    paired_low=rounded(found.paired_low[column]),
                    paired_high=rounded(found.paired_high[column]),
                    n=found.n,
                    clusters=found.clusters,
                )


def disagreements(found: Sequence[Result], metrics: Sequence[str]) -> Iterator[Disagreement]:
    """Pairs of methods of one setting that the first metric orders one way and another metric the other way, by task."""
    first, *others = metrics
    means = {(row.task, row.metric, row.method): row.mean for row in found if row.mean is not None}
    tasks = dict.fromkeys(row.task for row in found)
    methods = list(dict.fromkeys(row.method for row in found))
    for task in tasks:
        for other_metric in others:
            for one, two in combinations(methods, 2):
                keys = [(task, metric, method) for metric in (first, other_metric) for method in (one, two)]
                if not all(key in means for key in keys):
                    continue
                lead, other_lead = means[keys[0]] - means[keys[1]], means[keys[2]] - means[keys[3]]
                if lead * other_lead < 0:
                    ahead, behind = (one, two) if lead > 0 else (two, one)
                    yield Disagreement(task, first, other_metric, ahead, behind)


def competitors(grid: Grid) -> Flags:
    """(methods,) whether each competes: controls stand beside the methods and do not."""
    return np.array([method not in CONTROLS for method in grid.methods], dtype=np.bool_)


def _of(grid: Grid, cases: Flags, metric: str) -> Floats:
    return grid.values[cases][:, :, METRICS.index(metric)]


def _figures(estimates: Estimates, column: int) -> dict[str, Any]:
    return {
        "mean": rounded(estimates.mean[column]),
        "low": rounded(estimates.low[column]),
        "high": rounded(estimates.high[column]),
        "n": int(estimates.n[column]),
        "clusters": int(estimates.clusters[column]),
    }
