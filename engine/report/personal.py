"""What of a score is personal: the gain over strangers, and the share of a lead that the gain explains (METRICS, controls).

The gain of a prompt is its score against the right person less its mean score against strangers. Who may be called personalised is a
claim about every method at once, so all gains of a task and metric are one family of tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engine.report.cases import Grid
from engine.report.common_cases import common_values, competitors
from engine.report.data import METRICS
from engine.report.rows import rounded
from engine.statistics.estimates import Floats
from engine.statistics.simultaneous import family_of
from engine.statistics.two_way import TwoWayBootstrap

BASELINE = "baseline"
"""The method that knows nothing of the person: what another one leads by is its lead."""

GAIN = {"v": "gain", "v_c": "gain_c"}
"""For a preset's own score: its personal gain."""
SECOND_GAIN = {"v": "second_gain", "v_c": "second_gain_c"}
"""The same in the second space."""
SECOND = {"v": "second_v", "v_c": "second_v_c"}
"""For a preset's own score: the same score in the second space."""
CROSS = {"v": "cross_v", "v_c": "cross_v_c"}
"""For a preset's own score: the same score cross-fitted."""

_LEAST_LEAD = 1e-6


@dataclass(frozen=True, slots=True)
class Gain:
    """Mean personal gain of one method or control. `low` and `high` are its own 95 % interval; `family_low` and `family_high` cover all
    methods and controls of the task and metric at once, `holm` is the p value against no gain, adjusted for all of them."""

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    family_low: float | None
    family_high: float | None
    p: float | None
    holm: float | None
    n: int
    clusters: int
    families: int


@dataclass(frozen=True, slots=True)
class PersonalShare:
    """Share of a method's lead over `other` in `metric` that its lead in `gain_metric` makes up, with its 95 % interval."""

    method: str
    other: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    gain_metric: str
    lead: float | None
    share: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class StrangerAgreement:
    """Two ways to what a prompt for somebody else scores: the control that was written for a stranger, and the mean score of a method's own
    prompts against strangers. `difference` is the first less the second."""

    control: str
    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    of_control: float | None
    of_strangers: float | None
    difference: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


def gains(grid: Grid, bootstrap: TwoWayBootstrap, metric: str) -> Iterator[Gain]:
    """Mean gain in the run's own score, here and in the second space, by task and method, each as one of its family."""
    common = common_values(grid)
    for task, cases in grid.groups():
        for name in (GAIN[metric], SECOND_GAIN[metric]):
            values = common[cases][:, :, METRICS.index(name)]
            found = bootstrap.resampled(grid.where(cases), values)
            estimates, family = found.estimates(), family_of(found)
            for m, method in enumerate(grid.methods):
                if estimates.n[m]:
                    yield Gain(
                        method=method, task=task, metric=name, **asdict(grid.setting),
                        mean=rounded(estimates.mean[m]), low=rounded(estimates.low[m]), high=rounded(estimates.high[m]),
                        family_low=rounded(family.low[m]), family_high=rounded(family.high[m]),
                        p=rounded(family.p[m]), holm=rounded(family.holm[m]),
                        n=int(estimates.n[m]), clusters=int(estimates.clusters[m]), families=int(estimates.families[m]),
                    )  # fmt: skip


def personal_shares(grid: Grid, bootstrap: TwoWayBootstrap, metric: str) -> Iterator[PersonalShare]:
    """For every method with a higher mean than the baseline, what share of that lead is personal, by task.

    The interval is that of the ratio of two means, by its linearisation; it says little where the lead itself is not sure.
    """
    if BASELINE not in grid.methods:
        return
    base = grid.methods.index(BASELINE)
    common = common_values(grid)
    for task, cases in grid.groups():
        for score, gain in ((metric, GAIN[metric]), (SECOND[metric], SECOND_GAIN[metric])):
            values = [common[cases][:, :, METRICS.index(name)] for name in (score, gain)]
            lead, personal = (side - side[:, [base]] for side in values)
            known = np.isfinite(lead) & np.isfinite(personal)
            for m in np.flatnonzero(competitors(grid)):
                here = known[:, m]
                mean_lead = float(lead[here, m].mean()) if here.any() else 0.0
                if m == base or mean_lead < _LEAST_LEAD:
                    continue
                share = float(personal[here, m].mean()) / mean_lead
                moved = (personal[here, m] - share * lead[here, m]) / mean_lead
                found = bootstrap.mean(grid.where(cases).of(here), moved[:, None])
                yield PersonalShare(
                    grid.methods[m], BASELINE, task, grid.setting.budget, grid.setting.writer, grid.setting.backbone, score, gain,
                    rounded(mean_lead), rounded(share), rounded(share + found.low[0]), rounded(share + found.high[0]),
                    int(found.n[0]), int(found.clusters[0]),
                )  # fmt: skip


def stranger_agreement(grid: Grid, bootstrap: TwoWayBootstrap, metric: str) -> Iterator[StrangerAgreement]:
    """Whether the control on a stranger's profile and the cheap estimate from strangers' captions agree, by task."""
    control, method = "stranger", "vprag"
    if control not in grid.methods or method not in grid.methods:
        return
    one, two = grid.methods.index(control), grid.methods.index(method)
    common = common_values(grid)
    for task, cases in grid.groups():
        score, gain = (common[cases][:, :, METRICS.index(name)] for name in (metric, GAIN[metric]))
        columns: Floats = np.stack([score[:, one], score[:, two] - gain[:, two]], axis=1)
        columns = np.concatenate([columns, columns[:, :1] - columns[:, 1:]], axis=1)
        columns[~np.isfinite(columns).all(axis=1)] = np.nan
        found = bootstrap.mean(grid.where(cases), columns)
        if found.n[0]:
            yield StrangerAgreement(
                control=control, method=method, task=task, metric=metric, **asdict(grid.setting), of_control=rounded(found.mean[0]),
                of_strangers=rounded(found.mean[1]), difference=rounded(found.mean[2]), low=rounded(found.low[2]),
                high=rounded(found.high[2]), n=int(found.n[0]), clusters=int(found.clusters[0]),
            )  # fmt: skip
