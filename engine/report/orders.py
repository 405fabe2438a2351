"""Whether two metrics order the methods alike: two embedding spaces, two definitions of a part, in sample and cross-fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from engine.report.cases import Grid
from engine.report.common_cases import common_values, competitors
from engine.report.data import METRICS
from engine.report.rows import OrderAgreement, rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.order_agreement import order_agreement

ORDERS = {
    "v": (
        ("v", "v_u"),
        ("v", "v_literal"),
        ("v", "v_mean_caption"),
        ("v", "gain"),
        ("v", "second_v"),
        ("gain", "second_gain"),
        ("matched_v", "cross_v"),
    ),
    "v_c": (
        ("v_c", "v_c_literal"),
        ("v_c", "v_c_mean_caption"),
        ("v_c", "gain_c"),
        ("v_c", "second_v_c"),
        ("gain_c", "second_gain_c"),
        ("matched_v_c", "cross_v_c"),
    ),
}
"""For a preset's own score: pairs of metrics whose orders are compared. A cross-fitted score is compared with the matched one only."""


def agreements(grid: Grid, people: ClusterBootstrap, metric: str) -> Iterator[OrderAgreement]:
    """Kendall's tau-b of the competing methods' orders for each pair of metrics that has values, by task."""
    values = common_values(grid)
    for task, cases in grid.groups():
        for first, second in ORDERS[metric]:
            both = [values[cases][:, :, METRICS.index(name)] for name in (first, second)]
            known = np.all([np.isfinite(side).any(axis=0) for side in both], axis=0) & competitors(grid)
            found = order_agreement(people, grid.cluster[cases], both[0][:, known], both[1][:, known])
            if found is not None:
                yield OrderAgreement(
                    task=task,
                    **asdict(grid.setting),
                    metric=first,
                    other_metric=second,
                    tau=rounded(found.tau),
                    low=rounded(found.low),
                    high=rounded(found.high),
                    methods=int(known.sum()),
                    reversed_pairs=found.reversed_pairs,
                    n=found.n,
                    clusters=found.clusters,
                )
