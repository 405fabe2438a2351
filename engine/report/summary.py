"""The summary of a run: everything that its report says, as typed rows, and the bytes of `summary.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

from engine.report.control_check import Check
from engine.report.data import CONTROLS, Setting
from engine.report.galleries import GallerySize
from engine.report.personal import Gain, PersonalShare, StrangerAgreement
from engine.report.rows import (
    Bound,
    Ceiling,
    Copying,
    Coverage,
    Difference,
    Disagreement,
    Effect,
    FailureGroup,
    LengthMatched,
    OrderAgreement,
    Result,
    Retrieval,
    Sample,
    WinShare,
    Words,
)
from engine.report.scale import ScaleCell
from engine.report.slices import Slice
from engine.report.writer_orders import WriterAgreement
from engine.report.writing import Writing


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
    gains: tuple[Gain, ...]
    personal_shares: tuple[PersonalShare, ...]
    stranger_agreement: tuple[StrangerAgreement, ...]
    galleries: tuple[GallerySize, ...]
    checks: tuple[Check, ...]
    slices: tuple[Slice, ...]
    win_share: tuple[WinShare, ...]
    cohens_d: tuple[Effect, ...]
    disagreements: tuple[Disagreement, ...]
    order_agreement: tuple[OrderAgreement, ...]
    length_matched: tuple[LengthMatched, ...]
    bounds: tuple[Bound, ...]
    ceilings: tuple[Ceiling, ...]
    words: tuple[Words, ...]
    retrieval: tuple[Retrieval, ...]
    copying: tuple[Copying, ...]
    outcomes: tuple[Coverage, ...]
    writing: tuple[Writing, ...]
    scale: tuple[ScaleCell, ...]
    writer_agreement: tuple[WriterAgreement, ...]
    failures: tuple[FailureGroup, ...]
    samples: tuple[Sample, ...]
    warnings: tuple[str, ...]
    verdict: tuple[str, ...]

    def of_setting(self, rows: tuple[Any, ...], **wanted: str) -> list[Any]:
        """The rows of the default setting whose fields equal `wanted`."""
        if self.setting is None:
            return []
        where = wanted | asdict(self.setting)
        fields, values = attrgetter(*where), tuple(where.values())
        return [row for row in rows if fields(row) == values]

    def result(self, method: str, task: str, metric: str) -> Result | None:
        """The default setting's result for a method, task and metric, if there is one."""
        return next(iter(self.of_setting(self.results, method=method, task=task, metric=metric)), None)

    def tasks(self) -> list[str]:
        """The tasks and groups of tasks of the default setting; the pooled one is last."""
        return list(dict.fromkeys(row.task for row in self.of_setting(self.outcomes)))

    def methods(self) -> list[str]:
        """The methods of the default setting, in the paper's order."""
        return list(dict.fromkeys(row.method for row in self.of_setting(self.outcomes)))

    def judged(self) -> list[str]:
        """The methods of the default setting that the verdict may be about: neither extractive nor controls."""
        return [method for method in self.methods() if method not in self.extractive and method not in CONTROLS]

    def ranked(self, task: str, metric: str = "") -> list[str]:
        """The judged methods by falling mean of a metric, the run's own score unless another is named: those whose means are over the same
        cases. One that has a value in few of them has a mean of its own cases, which may be the easy ones."""
        among = self.judged()
        rows = self.of_setting(self.results, task=task, metric=metric or self.metric)
        known = [row for row in rows if row.method in among and row.mean is not None]
        most = max((row.n for row in known), default=0)
        return [row.method for row in sorted(known, key=lambda row: -row.mean) if row.n == most]

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
