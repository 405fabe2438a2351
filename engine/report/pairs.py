"""Two methods of the default setting against each other, and when a difference may be claimed.

A claim rests on Holm's p value and on the simultaneous interval of its task and metric, never on a pair's own interval (METRICS).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.report.cases import POOLED
from engine.report.summary import Summary
from engine.report.wording import counted, figure, signed_interval
from engine.statistics.estimates import CONFIDENCE

SURE = 1 - CONFIDENCE
"""Largest adjusted p value of a claim."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Mean of method - other; `low` and `high` cover all pairs of the task and metric at once, `holm` is adjusted for all of them."""

    method: str
    other: str
    metric: str
    mean: float
    low: float | None
    high: float | None
    holm: float | None
    n: int
    clusters: int

    @property
    def known(self) -> bool:
        """Whether there is an interval at all."""
        return self.low is not None and self.high is not None and self.holm is not None

    @property
    def ahead(self) -> bool:
        """Whether it may be claimed that the method scores more."""
        return self.low is not None and self.low > 0 and self.holm is not None and self.holm <= SURE

    @property
    def behind(self) -> bool:
        """Whether it may be claimed that the method scores less."""
        return self.high is not None and self.high < 0 and self.holm is not None and self.holm <= SURE

    @property
    def figures(self) -> str:
        """The difference with its simultaneous interval."""
        return signed_interval(self.mean, self.low, self.high)

    @property
    def basis(self) -> str:
        """What it rests on."""
        return f"{counted(self.n, 'case')}, {counted(self.clusters, 'cluster')}"

    @property
    def told(self) -> str:
        """Everything about the difference that a claim must carry."""
        return f"{self.figures}, Holm p {p_value(self.holm)}, {self.basis}"


def pair_of(summary: Summary, one: str, two: str, metric: str, task: str = POOLED) -> Pair | None:
    """The difference one - two in the default setting, if there is one."""
    for row in summary.of_setting(summary.differences, task=task, metric=metric):
        if row.mean is None or {row.method, row.other} != {one, two}:
            continue
        if row.method == one:
            return Pair(one, two, metric, row.mean, row.family_low, row.family_high, row.holm, row.n, row.clusters)
        low, high = (None if end is None else -end for end in (row.family_high, row.family_low))
        return Pair(one, two, metric, -row.mean, low, high, row.holm, row.n, row.clusters)
    return None


def p_value(p: float | None) -> str:
    """A p value with its sign of relation."""
    if p is None:
        return "unknown"
    return "< 0.001" if p < 0.001 else f"= {figure(p)}"
