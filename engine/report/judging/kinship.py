"""Whether judges rate what their own family wrote higher than other judges do: a difference of differences, case by case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.report.cases import Grid
from engine.report.judging.data import JudgingFacts
from engine.report.judging.rated import HUMAN, METRIC, Graded
from engine.report.judging.rows import Estimate, estimate_of


@dataclass(frozen=True, slots=True)
class KinRatings:
    """How much higher, on the scale of 0-5, judges rate texts of their own family, level of each judge and writer taken out; over the
    `n` outputs that all these judges rated of all these writers, without methods whose prompts come from elsewhere."""

    looks: str
    renderer: str
    budget: str
    judges: tuple[str, ...]
    writers: tuple[str, ...]
    effect: Estimate


def kin_in_ratings(facts: JudgingFacts, looks: str, renderer: str, found: Graded) -> Iterator[KinRatings]:
    """One row a budget in which judges and writers cross so that the effect can be told; judge and writer are fixed effects a case."""
    families = {judge.name: judge.family for judge in facts.judges}
    writers = dict(facts.writer_families)
    elsewhere = frozenset(method for method, _ in facts.method_families)
    for budget in dict.fromkeys(grid.setting.budget for grid in found.cases.grids):
        grids = [grid for grid in found.cases.grids if grid.setting.budget == budget]
        judges = [name for name in grids[0].metrics if name not in (METRIC, HUMAN)]
        kin = np.array([[float(families[judge] == writers.get(grid.setting.writer)) for judge in judges] for grid in grids])
        contrast = kin - kin.mean(axis=0) - kin.mean(axis=1, keepdims=True) + kin.mean()
        if (contrast**2).sum() < 1e-9:
            continue
        values, cluster = _crossed(found, grids, judges, elsewhere)
        effects = (values * contrast).sum(axis=(1, 2)) / (contrast**2).sum()
        estimates = found.bootstrap.people.mean(cluster, effects[:, None])
        if estimates.n[0]:
            yield KinRatings(
                looks, renderer, budget, tuple(judges), tuple(grid.setting.writer for grid in grids), estimate_of(estimates, 0)
            )


def _crossed(found: Graded, grids: list[Grid], judges: list[str], elsewhere: frozenset[str]) -> tuple[Any, Any]:
    """(outputs, writers, judges) ratings of the same person, query and method that the writers wrote, and (outputs,) clusters."""
    asked = list(zip(*(found.cases.table[name].to_pylist() for name in ("subject", "task", "query")), strict=True))
    keys = [_keys(asked, grid, elsewhere) for grid in grids]
    shared = sorted(set.intersection(*(set(each) for each in keys)))
    columns = [grids[0].metrics.index(judge) for judge in judges]
    values = np.full((len(shared), len(grids), len(judges)), np.nan)
    cluster = np.zeros(len(shared), dtype=np.int64)
    for g, (grid, places) in enumerate(zip(grids, keys, strict=True)):
        for row, key in enumerate(shared):
            case, method = places[key]
            values[row, g] = grid.values[case, method, columns]
            cluster[row] = grid.cluster[case]
    return values, cluster


def _keys(asked: Sequence[tuple[str, ...]], grid: Grid, elsewhere: frozenset[str]) -> dict[tuple[str, ...], tuple[int, int]]:
    """Where each person, task, query (`asked`, of each row of the cases) and method of a grid stands, but methods from `elsewhere`."""
    rows = ((case, m) for case, m in np.argwhere(grid.row >= 0).tolist() if grid.methods[m] not in elsewhere)
    return {(*asked[grid.row[case, m]], grid.methods[m]): (case, m) for case, m in rows}
