"""The summary of a run: a pure function of its facts and its rows, whatever order they come in.

No time, host, path, cost or retry count enters it, so an undisturbed run and one that was killed and resumed give equal bytes
(STORAGE, byte-identity).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from engine.errors import ConfigError
from engine.keys import seed_of
from engine.report import caveats, comparison, diagnostics, verdict
from engine.report.cases import Cases, Grid, cases_of
from engine.report.data import OUTCOMES, RunFacts, Setting
from engine.report.rows import (
    Ceiling,
    Coverage,
    Difference,
    Disagreement,
    Effect,
    FailureGroup,
    Result,
    Retrieval,
    Sample,
    WinShare,
    Words,
)
from engine.report.statistics import ClusterBootstrap


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that `summary.json`, `report.md`, the tables and the page say about the rows of a run."""

    run: str
    name: str
    complete: bool
    partial: bool
    planned_people: int
    total_people: int
    units: int
    rows: int
    failed: int
    metric: str
    setting: Setting | None
    extractive: tuple[str, ...]
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    win_share: tuple[WinShare, ...]
    cohens_d: tuple[Effect, ...]
    disagreements: tuple[Disagreement, ...]
    ceilings: tuple[Ceiling, ...]
    words: tuple[Words, ...]
    retrieval: tuple[Retrieval, ...]
    outcomes: tuple[Coverage, ...]
    failures: tuple[FailureGroup, ...]
    samples: tuple[Sample, ...]
    warnings: tuple[str, ...]
    verdict: tuple[str, ...]

    def of_setting(self, rows: tuple[Any, ...], **wanted: str) -> list[Any]:
        """The rows of the default setting whose fields equal `wanted`."""
        return [
            row for row in rows if setting_of(row) == self.setting and all(getattr(row, name) == value for name, value in wanted.items())
        ]

    def result(self, method: str, task: str, metric: str) -> Result | None:
        """The default setting's result for a method, task and metric, if there is one."""
        return next(iter(self.of_setting(self.results, method=method, task=task, metric=metric)), None)

    def tasks(self) -> list[str]:
        """The tasks and groups of tasks of the default setting; the pooled one is last."""
        return list(dict.fromkeys(row.task for row in self.of_setting(self.outcomes)))

    def methods(self) -> list[str]:
        """The methods of the default setting, in the paper's order."""
        return list(dict.fromkeys(row.method for row in self.of_setting(self.outcomes)))

    def to_json(self) -> bytes:
        """The bytes of `summary.json`: sorted keys, no NaN, one trailing newline."""
        document = asdict(self)
        document["methods"] = self._by_method()
        document["coverage"] = {
            "planned_people": document.pop("planned_people"),
            "total_people": document.pop("total_people"),
            "rows": document.pop("rows"),
        }
        return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n").encode()

    def _by_method(self) -> dict[str, dict[str, dict[str, dict[str, float | int | None]]]]:
        nested: dict[str, dict[str, dict[str, dict[str, float | int | None]]]] = {}
        for row in self.of_setting(self.results):
            figures: dict[str, float | int | None] = {"mean": row.mean, "low": row.low, "high": row.high, "n": row.n}
            nested.setdefault(row.method, {}).setdefault(row.task, {})[row.metric] = figures
        return nested


def setting_of(row: Any) -> Setting:
    """The setting that a row of a summary belongs to."""
    return Setting(row.writer, row.backbone, row.budget)


def summarise(facts: RunFacts, scores: pa.Table, ceilings: pa.Table) -> Summary:
    """The summary of a run.

    Raises:
        InputError: the rows do not fit their schemas, or one unit has two rows.
        ConfigError: the run's own metric is neither "v" nor "v_c".
    """
    if facts.metric not in comparison.COMPARED:
        raise ConfigError(f"no report is made about the metric {facts.metric!r}.", remedy="A preset scores with v (q3) or v_c (q1, q2).")
    compared = comparison.COMPARED[facts.metric]
    cases = cases_of(scores)
    bootstrap = ClusterBootstrap(cases.clusters, seed_of(facts.run, "report", "bootstrap"))
    default = _default_grid(cases, facts)
    results = tuple(row for grid in cases.grids for row in comparison.results(grid, bootstrap))
    setting = default.setting if default else None
    summary = Summary(
        run=facts.run,
        name=facts.name,
        complete=facts.complete,
        partial=facts.partial,
        planned_people=facts.planned_people,
        total_people=facts.total_people,
        units=facts.units,
        rows=len(cases.table),
        failed=sum(int((grid.outcome == OUTCOMES.index("failed")).sum()) for grid in cases.grids),
        metric=facts.metric,
        setting=setting,
        extractive=tuple(method for m, method in enumerate(default.methods) if default.extractive[m]) if default else (),
        results=results,
        differences=tuple(row for grid in cases.grids for row in comparison.differences(grid, bootstrap, compared)),
        win_share=tuple(row for grid in cases.grids for row in comparison.wins(grid, bootstrap)),
        cohens_d=tuple(row for grid in cases.grids for row in comparison.effects(grid, bootstrap, compared)),
        disagreements=tuple(comparison.disagreements([row for row in results if setting_of(row) == setting], compared)),
        ceilings=tuple(diagnostics.ceilings(ceilings, seed_of(facts.run, "report", "ceilings"))),
        words=tuple(row for grid in cases.grids for row in diagnostics.words(cases, grid, bootstrap)),
        retrieval=tuple(row for grid in cases.grids for row in diagnostics.retrieval(cases, grid)),
        outcomes=tuple(row for grid in cases.grids for row in diagnostics.coverage(grid)),
        failures=tuple(diagnostics.failures(cases.table)),
        samples=tuple(diagnostics.samples(cases, default, facts.metric, seed_of(facts.run, "report", "samples"))) if default else (),
        warnings=(),
        verdict=(),
    )
    summary = replace(summary, warnings=tuple(caveats.warnings(summary, facts, cases.non_finite)))
    return replace(summary, verdict=tuple(verdict.verdict(summary, facts)))


def _default_grid(cases: Cases, facts: RunFacts) -> Grid | None:
    """The setting that the verdict is about; of several backbones the first by name."""
    return next((grid for grid in cases.grids if (grid.setting.writer, grid.setting.budget) == (facts.writer, facts.budget)), None)
