"""How the methods of one setting compare: means, paired differences, win shares, Cohen's d, and where two scores order them differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from engine.report.cases import Grid
from engine.report.common_cases import common_values, competitors, measured_cases
from engine.report.rows import Difference, Disagreement, Effect, Result, WinShare, rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.effect_sizes import effects_against_best, win_shares
from engine.statistics.estimates import Estimates, Floats, Integers
from engine.statistics.shares import share_estimates
from engine.statistics.simultaneous import family_of
from engine.statistics.two_way import TwoWayBootstrap

ORDERING = {"v": ("v", "v_u", "v_literal", "v_mean_caption"), "v_c": ("v_c", "v_c_literal", "v_c_mean_caption")}
"""For a preset's own score: the definitions of it that may order methods differently. V and V-c are never compared with each other."""

COMPARED = {
    "v": (*ORDERING["v"], "gain", "cross_v", "second_v", "second_gain"),
    "v_c": (*ORDERING["v_c"], "gain_c", "cross_v_c", "second_v_c", "second_gain_c"),
}
"""For a preset's own score: the metrics in which methods are compared pairwise."""


def results(grid: Grid, bootstrap: TwoWayBootstrap) -> Iterator[Result]:
    """Mean and interval of every metric that has a value, by task and method, over the cases that all compared methods share."""
    common, due = common_values(grid), measured_cases(grid)
    for task, cases in grid.groups():
        values = common[cases]
        present = np.isfinite(grid.values[cases])
        estimates = bootstrap.mean(grid.where(cases), values.reshape(len(values), -1))
        measured = np.asarray(present.any(axis=(0, 1)))
        for m, method in enumerate(grid.methods):
            if not (grid.row[cases, m] >= 0).any():
                continue
            for k, metric in enumerate(grid.metrics):
                if measured[k]:
                    counted = due[cases, k]
                    yield Result(
                        method=method,
                        task=task,
                        metric=metric,
                        **asdict(grid.setting),
                        **_figures(estimates, m * len(grid.metrics) + k),
                        missing=int((counted & ~present[:, m, k]).sum()),
                        cases=int(counted.sum()),
                    )


def differences(grid: Grid, bootstrap: TwoWayBootstrap, metrics: Sequence[str]) -> Iterator[Difference]:
    """Paired differences of every two methods, the later one of the list first, each pair as one of all pairs of its task and metric."""
    pairs = [(b, a) for a, b in combinations(range(len(grid.methods)), 2)]
    if not pairs:
        return
    later, earlier = (list(side) for side in zip(*pairs, strict=True))
    common = common_values(grid)
    for task, cases in grid.groups():
        for metric in metrics:
            values = common[cases][:, :, grid.metrics.index(metric)]
            found = bootstrap.resampled(grid.where(cases), values[:, later] - values[:, earlier])
            estimates, family = found.estimates(), family_of(found)
            for column, (b, a) in enumerate(pairs):
                figures = _figures(estimates, column)
                if figures["n"]:
                    yield Difference(
                        method=grid.methods[b],
                        other=grid.methods[a],
                        task=task,
                        metric=metric,
                        **asdict(grid.setting),
                        **figures,
                        family_low=rounded(family.low[column]),
                        family_high=rounded(family.high[column]),
                        p=rounded(family.p[column]),
                        holm=rounded(family.holm[column]),
                    )


def wins(grid: Grid, task_of_family: Integers) -> Iterator[WinShare]:
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
            for k, metric in enumerate(grid.metrics) if len(methods) > 1 else ():
                won = win_shares(grid.values[cases][:, methods, k])
                if np.isfinite(won).any():
                    columns += [(among, metric, grid.methods[method]) for method in methods]
                    shares.append(won)
        if not shares:
            continue
        estimates = share_estimates(grid.where(cases), task_of_family, np.concatenate(shares, axis=1))
        for column, (among, metric, method) in enumerate(columns):
            figures = _figures(estimates, column)
            share = figures.pop("mean")
            yield WinShare(method=method, among=among, task=task, metric=metric, share=share, **asdict(grid.setting), **figures)


def effects(grid: Grid, people: ClusterBootstrap, metrics: Sequence[str]) -> Iterator[Effect]:
    """Cohen's d of the best method of the verdict over every competing method, by task.

    A method with a value in few cases has no d: the cases that it shares would be too few for the others'.
    """
    competing, common = np.flatnonzero(competitors(grid)), common_values(grid)
    for task, cases in grid.groups():
        for metric in metrics:
            values = common[cases][:, competing, grid.metrics.index(metric)]
            known = np.isfinite(values).sum(axis=0)
            shared = known == known.max(initial=0)
            methods = competing[shared]
            if len(methods) < 2:
                continue
            found = effects_against_best(people, grid.cluster[cases], values[:, shared], ~grid.extractive[methods])
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


def _figures(estimates: Estimates, column: int) -> dict[str, Any]:
    return {
        "mean": rounded(estimates.mean[column]),
        "low": rounded(estimates.low[column]),
        "high": rounded(estimates.high[column]),
        "n": int(estimates.n[column]),
        "clusters": int(estimates.clusters[column]),
        "families": int(estimates.families[column]),
    }
