"""Which cases a mean is over: those in which every method has a value; and what the missing ones could change.

Means over different cases are not comparable: a method that fails on hard cases would look better for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from engine.report.cases import Grid
from engine.report.data import CONTROLS, CROSS_METRICS, REID_METRICS
from engine.report.rows import Bound
from engine.statistics.estimates import Flags, Floats
from engine.statistics.missing_bounds import BOUNDED_ABOVE, worst_case_bounds

FEWEST_PRESENT = 0.5
"""A method with a value in a smaller share of the cases does not decide which cases are common: it would leave hardly any to the others."""

SAMPLED = (*CROSS_METRICS, *REID_METRICS)
"""Metrics that are computed for a share of the people only: elsewhere nothing is missing."""

_RANGES = (
    (("v_c", "second_v_c", "cross_v_c", "matched_v_c"), (-1 / 3, 1.0)),
    (("v", "second_v", "cross_v", "matched_v"), (-0.2, 1.0)),
    (("pa",), (-1.0, 1.0)),
    (("gs", "cp", "nv", "reid", "cross_gs", "matched_gs"), (0.0, 1.0)),
)


def metric_range(metric: str) -> tuple[float, float] | None:
    """The least and the greatest value a metric can have: PA is a cosine, GS, CP and NV lie in [0, 1], V and V-c are their weighted means.

    None for a gain, a difference between two scores, whose worst case says nothing.
    """
    for names, limits in _RANGES:
        if metric in names or metric.startswith(tuple(f"{name}_" for name in names)):
            return limits
    return None


def competitors(grid: Grid) -> Flags:
    """(methods,) whether each competes: controls stand beside the methods and do not."""
    return np.array([method not in CONTROLS for method in grid.methods], dtype=np.bool_)


def measured_cases(grid: Grid) -> Flags:
    """(cases, metrics) where a value is due: everywhere, but for sampled metrics only where some method has one."""
    everywhere = np.array([metric not in SAMPLED for metric in grid.metrics])
    return np.asarray(np.isfinite(grid.values).any(axis=1) | everywhere)


def common_values(grid: Grid) -> Floats:
    """`grid.values`, NaN for every method and control in cases where a method has no value: (cases, methods, metrics).

    A control that has none decides nothing: a person without a stranger is no reason to leave the person out.
    """
    values, competing = grid.values.copy(), competitors(grid)
    present = np.isfinite(values)
    for k in range(len(grid.metrics)):
        here = present[:, :, k]
        due = max(1, int(here.any(axis=1).sum()))
        deciding = competing & (here.sum(axis=0) >= FEWEST_PRESENT * due)
        values[~here[:, deciding].all(axis=1), :, k] = np.nan
    return values


def bounds(grid: Grid) -> Iterator[Bound]:
    """Worst-case bounds of each mean of which more than 1 % of the values is missing, by task and method."""
    due = measured_cases(grid)
    for task, cases in grid.groups():
        for k, metric in enumerate(grid.metrics):
            limits = metric_range(metric)
            values = grid.values[cases & due[:, k], :, k]
            measured = np.isfinite(values)
            if limits is None or not measured.any():
                continue
            low, high = worst_case_bounds(values, *limits)
            for m, method in enumerate(grid.methods):
                missing = int((~measured[:, m]).sum())
                if measured[:, m].any() and missing > BOUNDED_ABOVE * len(values) and np.isfinite(low[m]):
                    yield Bound(
                        method=method, task=task, metric=metric, **asdict(grid.setting),
                        low=float(low[m]), high=float(high[m]), missing=missing, cases=len(values),
                    )  # fmt: skip
