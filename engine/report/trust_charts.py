"""The charts of what can be trusted: personal gains, first of all, and scores on captions that were not seen."""

from __future__ import annotations

from markupsafe import Markup

from engine.report.axis import axis_over
from engine.report.cases import POOLED
from engine.report.charts import Line, Mark, dots
from engine.report.controls import gain_of
from engine.report.data import CONTROLS
from engine.report.figures import kind_of, stamp_of
from engine.report.personal import GAIN, SECOND_GAIN
from engine.report.summary import Summary
from engine.report.trust_tables import gain_order
from engine.report.wording import METRIC_LABEL, counted, first_upper

CROSS = {"v": ("matched_v", "cross_v"), "v_c": ("matched_v_c", "cross_v_c")}
"""For a preset's own score: the matched in-sample score and the cross-fitted one, which share an axis with each other and no other."""


def gain_charts(summary: Summary) -> list[tuple[str, str, Markup]]:
    """(name, what it rests on, chart) of the gains with simultaneous intervals and a line at 0, here and in the second space."""
    charts = []
    for metric in (GAIN[summary.metric], SECOND_GAIN[summary.metric]):
        rows = [row for method in gain_order(summary) if (row := gain_of(summary, method, metric))]
        marks = [
            Mark(
                _marked(summary, row.method),
                row.mean,
                row.family_low,
                row.family_high,
                kind_of(summary, row.method),
                _hollow(summary, row.method),
            )
            for row in rows
            if row.mean is not None
        ]
        if marks:
            ends = [value for mark in marks for value in (mark.value, mark.low, mark.high)]
            axis = axis_over(ends, "gain over strangers, higher is more personal \u2192", from_zero=True)
            chart = dots(first_upper(METRIC_LABEL[metric]), marks, axis, line=Line("none", 0.0), stamp=stamp_of(summary))
            basis = (
                f"{counted(max(row.n for row in rows), 'case')} a method, {counted(max(row.clusters for row in rows), 'cluster')} of people"
            )
            charts.append((METRIC_LABEL[metric], basis, chart))
    return charts


def cross_chart(summary: Summary) -> Markup | None:
    """Each method's matched in-sample score over its cross-fitted one."""
    marks = []
    for method in summary.methods():
        rows = [summary.result(method, POOLED, metric) for metric in CROSS[summary.metric]]
        for row, name in zip(rows, (method, "\u2026 cross-fitted"), strict=True):
            if row and row.mean is not None and all(rows):
                marks.append(Mark(name, row.mean, row.low, row.high, kind_of(summary, method), name != method))
    if not marks:
        return None
    axis = axis_over(
        [value for mark in marks for value in (mark.value, mark.low, mark.high)], "on half of the captions, higher is better \u2192"
    )
    return dots("Matched in sample, and below it cross-fitted", marks, axis, stamp=stamp_of(summary))


def _hollow(summary: Summary, method: str) -> bool:
    return method in summary.extractive or method in CONTROLS


def _marked(summary: Summary, method: str) -> str:
    return f"{method} \u2020" if method in summary.extractive else method
