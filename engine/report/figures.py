"""Which charts a report draws, from its summary."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from engine.keys import seed_of
from engine.report.axis import Axis, axis_over
from engine.report.cases import POOLED
from engine.report.charts import Line, Mark, Point, bars, dots, scatter, shape
from engine.report.data import CONTROLS, DRIVER, METHOD_ORDER, PART_METRICS, SCORE_METRICS, Operations
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, task_words

CLOUD = 60
LONGEST = 8


def kind_of(summary: Summary, method: str) -> int:
    """The colour and shape of a method: the paper's methods have fixed ones, all others follow in the order of the report."""
    if method in METHOD_ORDER:
        return METHOD_ORDER.index(method)
    rest = [name for name in summary.methods() if name not in METHOD_ORDER]
    return len(METHOD_ORDER) + rest.index(method) % 4


def stamp_of(summary: Summary) -> str:
    """What a chart of a limited run carries in its corner."""
    return "PARTIAL" if summary.partial else ""


def score_charts(summary: Summary, metric: str) -> dict[str, Markup]:
    """For each task, a dot with interval per method, best first, all on one axis, with what own captions score as a line."""
    rows = summary.of_setting(summary.results, metric=metric)
    ceiling = next((row for row in summary.ceilings if row.metric == metric and row.mean is not None), None)
    ends = [value for row in rows for value in (row.mean, row.low, row.high)] + ([ceiling.mean] if ceiling else [])
    axis = axis_over(ends, f"{METRIC_LABEL[metric]}, higher is better \u2192")
    line = Line("own captions", ceiling.mean) if ceiling and ceiling.mean is not None else None
    charts = {}
    for task in summary.tasks():
        here = sorted((row for row in rows if row.task == task and row.mean is not None), key=lambda row: -row.mean)
        if here:
            title = f"{METRIC_LABEL[metric]} by method, {task_words(task)}"
            charts[task] = dots(title, [_mark(summary, row) for row in here], axis, line=line, stamp=stamp_of(summary))
    return charts


def component_charts(summary: Summary) -> Iterator[tuple[str, Markup]]:
    """(metric, chart) for every score and component over all tasks; each has its own axis."""
    for metric in (*SCORE_METRICS, *PART_METRICS):
        chart = score_charts(summary, metric).get(POOLED)
        if chart:
            yield metric, chart


def win_chart(summary: Summary, among: str) -> Markup | None:
    """Win shares in the run's own score over all tasks, with the share that chance would give."""
    rows = [row for row in summary.of_setting(summary.win_share, task=POOLED, metric=summary.metric, among=among) if row.share is not None]
    if not rows:
        return None
    rows.sort(key=lambda row: -row.share)
    marks = [
        Mark(
            row.method,
            100 * row.share,
            _percent(row.low),
            _percent(row.high),
            kind_of(summary, row.method),
            row.method in summary.extractive,
        )
        for row in rows
    ]
    axis = Axis(0.0, 100.0, 25.0, f"% of cases best in {METRIC_LABEL[summary.metric]} \u2192")
    return bars("Win share over all tasks", marks, axis, line=Line("chance", 100 / len(marks)), stamp=stamp_of(summary))


def words_chart(summary: Summary, scores: pa.Table) -> Markup | None:
    """The run's own score against words: each method's means with intervals over a seeded cloud of its units."""
    results = {row.method: row for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric)}
    lengths = {row.method: row for row in summary.of_setting(summary.words, task=POOLED)}
    points = []
    for method in summary.methods():
        score, length = results.get(method), lengths.get(method)
        if score and length and score.mean is not None and length.mean is not None:
            cloud = _cloud(summary, scores, method)
            points.append(
                Point(
                    method,
                    length.mean,
                    score.mean,
                    _pair(length),
                    _pair(score),
                    cloud,
                    kind_of(summary, method),
                    method in summary.extractive,
                )
            )
    if not points:
        return None
    across = axis_over(
        [x for point in points for x in (point.x, *(word for word, _ in point.cloud))], "words in the prompt \u2192", from_zero=True
    )
    up = axis_over(
        [y for point in points for y in (point.y, *(value for _, value in point.cloud))],
        f"{METRIC_LABEL[summary.metric]} \u2191 higher is better",
    )
    return scatter(f"{METRIC_LABEL[summary.metric]} against words", points, across, up, stamp=stamp_of(summary))


def retrieval_chart(summary: Summary) -> Markup | None:
    """Median n_eff with its middle half, broad against narrow queries."""
    rows = [row for row in summary.of_setting(summary.retrieval) if row.n_eff_median is not None]
    if not rows:
        return None
    marks = [
        Mark(
            f"{row.method} {row.breadth}",
            row.n_eff_median,
            row.n_eff_lower,
            row.n_eff_upper,
            kind_of(summary, row.method),
            row.method in summary.extractive,
        )
        for row in rows
    ]
    axis = axis_over([value for mark in marks for value in (mark.low, mark.high)], "n_eff, posts; line = middle half", from_zero=True)
    return dots("Effective number of posts", marks, axis, digits=2, stamp=stamp_of(summary))


def time_chart(operations: Operations, stamp: str) -> Markup | None:
    """Seconds by kind of stage (its name before the first dash), longest first; phases of the driver contain stages and are left out."""
    kinds: dict[str, float] = {}
    for name, seconds in operations.stage_seconds.items():
        if not name.startswith(DRIVER):
            kind = name.partition("-")[0]
            kinds[kind] = kinds.get(kind, 0.0) + seconds
    if not kinds:
        return None
    longest = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))[:LONGEST]
    marks = [Mark(name, seconds, None, None, 3) for name, seconds in longest]
    axis = axis_over([seconds for _, seconds in longest], "process seconds", from_zero=True)
    return bars("Seconds by kind of stage", marks, axis, stamp=stamp)


def legend(summary: Summary) -> list[tuple[str, Markup]]:
    """(method, mark) for every method of the default setting."""
    frame = Markup('<svg class="key" viewBox="0 0 16 16" aria-hidden="true">{}</svg>')
    return [
        (method, frame.format(shape(8, 8, kind_of(summary, method), method in summary.extractive or method in CONTROLS)))
        for method in summary.methods()
    ]


def _mark(summary: Summary, row: Any) -> Mark:
    hollow = row.method in summary.extractive or row.method in CONTROLS
    return Mark(row.method, row.mean, row.low, row.high, kind_of(summary, row.method), hollow)


def _cloud(summary: Summary, scores: pa.Table, method: str) -> tuple[tuple[float, float], ...]:
    if summary.setting is None:
        return ()
    chosen = pc.equal(scores.column("method"), method)
    for name in ("writer", "backbone", "budget"):
        chosen = pc.and_(chosen, pc.equal(scores.column(name), getattr(summary.setting, name)))
    chosen = pc.and_(chosen, pc.equal(scores.column("outcome"), "answered"))
    chosen = pc.and_(chosen, pc.and_(pc.is_valid(scores.column("words")), pc.is_finite(scores.column(summary.metric))))
    units = scores.filter(pc.fill_null(chosen, False)).select(["subject", "task", "query", "words", summary.metric])
    units = units.sort_by([(name, "ascending") for name in ("subject", "task", "query")])
    draw = random.Random(seed_of(summary.run, "report", "cloud", method))
    picked = sorted(draw.sample(range(len(units)), min(CLOUD, len(units))))
    some = units.take(picked)
    return tuple(zip(some.column("words").to_pylist(), some.column(summary.metric).to_pylist(), strict=True))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _pair(row: Any) -> tuple[float, float] | None:
    return None if row.low is None or row.high is None else (row.low, row.high)
