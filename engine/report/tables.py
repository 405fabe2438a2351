"""The tables of a report as words, the same for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.report.cases import POOLED
from engine.report.data import OUTCOMES, PART_METRICS, SCORE_METRICS, Operations
from engine.report.rows import Effect
from engine.report.summary import Summary, setting_of
from engine.report.wording import (
    METRIC_LABEL,
    NOTHING,
    REFERENCE,
    REFERENCE_MEANING,
    count,
    figure,
    interval,
    listed,
    share,
    task_label,
    task_words,
)

WON = (*SCORE_METRICS, *PART_METRICS)
"""Metrics in which cases are won; the files have the rest."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column heads, rows of cells, and a note. In a cell a line break parts a figure from its interval."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def marked(summary: Summary, method: str) -> str:
    """A method's name, with a dagger where it is extractive and so left out of the verdict."""
    return f"{method} †" if method in summary.extractive else method


def scoreboard(summary: Summary, task: str) -> Table:
    """The run's own score for one task: mean, interval, n, clusters, missing; best first."""
    found = {row.method: row for row in summary.of_setting(summary.results, task=task, metric=summary.metric)}
    methods = [row.method for row in summary.of_setting(summary.outcomes, task=task)]
    body = []
    for method in sorted(methods, key=lambda method: -(found[method].mean or 0.0) if method in found else float("inf")):
        row = found.get(method)
        cells = (
            (_mean(row.mean, row.low, row.high), count(row.n), count(row.clusters), count(row.missing))
            if row
            else (NOTHING, "0", "0", "all")
        )
        body.append((marked(summary, method), *cells))
    return Table(task_label(task), ("method", METRIC_LABEL[summary.metric], "n", "clusters", "missing"), tuple(body))


def outcomes(summary: Summary) -> Table:
    """How the units of each method ended, by task."""
    body = [
        (task_label(row.task), marked(summary, row.method), *(count(getattr(row, name)) for name in (*OUTCOMES, "absent")))
        for task in scored_tasks(summary)
        for row in summary.of_setting(summary.outcomes, task=task)
    ]
    note = "Absent: planned for another method, no row for this one."
    return Table("How units ended", ("task", "method", *OUTCOMES, "absent"), tuple(body), note)


def components(summary: Summary, task: str) -> tuple[Table, Table]:
    """Every metric of one task, one column each: the scores, and the components that they are made of."""
    return _metrics(summary, task, SCORE_METRICS, "scores"), _metrics(summary, task, PART_METRICS, "components")


def _metrics(summary: Summary, task: str, metrics: Sequence[str], kind: str) -> Table:
    rows = summary.of_setting(summary.results, task=task)
    measured = [metric for metric in metrics if any(row.metric == metric for row in rows)]
    cell = {(row.method, row.metric): _mean(row.mean, row.low, row.high) for row in rows}
    lengths = {(row.method, row.metric): row.n for row in rows}
    body = []
    for method in summary.methods():
        n = sorted({lengths[method, metric] for metric in measured if (method, metric) in lengths})
        told = NOTHING if not n else count(n[0]) if len(n) == 1 else f"{count(n[0])}–{count(n[-1])}"
        body.append((marked(summary, method), *(cell.get((method, metric), NOTHING) for metric in measured), told))
    heads = ("method", *(METRIC_LABEL[metric] for metric in measured), "n")
    return Table(f"{task_label(task)}: {kind}", heads, tuple(body) if measured else ())


def win_share(summary: Summary, task: str, among: str) -> Table:
    """Share of cases won by each method, one column a metric."""
    rows = summary.of_setting(summary.win_share, task=task, among=among)
    measured = [metric for metric in WON if any(row.metric == metric for row in rows)]
    found = {(row.method, row.metric): row for row in rows}
    body = []
    for method in dict.fromkeys(row.method for row in rows):
        cells = []
        for metric in measured:
            row = found.get((method, metric))
            cells.append(f"{share(row.share)}\n{_shares(row.low, row.high)}" if row else NOTHING)
        n = sorted({found[method, metric].n for metric in measured if (method, metric) in found})
        body.append((marked(summary, method), *cells, count(n[0]) if len(n) == 1 else f"{count(n[0])}–{count(n[-1])}"))
    title = f"Share of cases won, {task_words(task)}" + (", extractive methods set aside" if among == "verdict" else "")
    return Table(title, ("method", *(METRIC_LABEL[metric] for metric in measured), "cases"), tuple(body))


def cohens_d(summary: Summary, metric: str) -> Table:
    """Cohen's d of each row's best judged method over the others, post hoc, in the paper's layout: tasks down, methods across."""
    found = {(row.task, row.method): row for row in summary.of_setting(summary.cohens_d, metric=metric)}
    methods = [method for method in summary.methods() if any(key[1] == method for key in found)]
    body = []
    for task in scored_tasks(summary):
        rows = [found[task, method] for method in methods if (task, method) in found]
        if rows:
            cells = [_effect(found[task, method]) if (task, method) in found else NOTHING for method in methods]
            body.append((task_label(task), *cells, count(rows[0].n), count(rows[0].clusters)))
    note = (
        "First the pooled d, which is the paper's, then the paired one, since the design is paired. Post hoc: the row's best judged method "
        "is chosen by the data, anew in each resample."
    )
    if summary.extractive:
        note += " An extractive method is never chosen, so its d may be negative."
    heads = ("task", *(marked(summary, method) for method in methods), "cases", "clusters")
    return Table(f"Cohen's d in {METRIC_LABEL[metric]}", heads, tuple(body), note)


def ceilings(summary: Summary) -> Table:
    """What own captions score, each with itself left out, one row a metric."""
    body = [
        (METRIC_LABEL[row.metric], _mean(row.mean, row.low, row.high), count(row.n), count(row.clusters), count(row.missing))
        for row in summary.ceilings
    ]
    return Table(REFERENCE, ("metric", "mean and 95 %", "people", "clusters", "missing"), tuple(body), REFERENCE_MEANING)


def words(summary: Summary) -> Table:
    """Mean words of prompts, tasks down and methods across; below them, over all tasks, n and how many the encoder cut."""
    rows = summary.of_setting(summary.words)
    methods = list(dict.fromkeys(row.method for row in rows))
    found = {(row.method, row.task): row for row in rows}
    body = []
    for task in scored_tasks(summary):
        of_task = [found.get((method, task)) for method in methods]
        cells = [f"{figure(row.mean, 1)}\n{interval(row.low, row.high, 1)}" if row else NOTHING for row in of_task]
        body.append((task_label(task), *cells))
    pooled = [found.get((method, POOLED)) for method in methods]
    if body:
        body.append(("n", *(count(row.n) if row else NOTHING for row in pooled)))
        body.append(("cut by the encoder", *(count(row.truncated) if row else NOTHING for row in pooled)))
    return Table("Mean words", ("task", *(marked(summary, method) for method in methods)), tuple(body))


def retrieval(summary: Summary) -> Table:
    """n_eff and the share of capped units, by method and breadth."""
    body = [
        (
            row.method,
            row.breadth,
            figure(row.n_eff_median, 2),
            f"{figure(row.n_eff_lower, 2)} to {figure(row.n_eff_upper, 2)}",
            share(row.cap_share),
            count(row.n),
        )
        for row in summary.of_setting(summary.retrieval)
    ]
    heads = ("method", "query", "median n_eff", "middle half", "cap of 2Q binds", "n")
    return Table(
        "Retrieval",
        heads,
        tuple(body),
        "n_eff is the exponential of the entropy of the retrieval weights: how many posts they spread over.",
    )


def other_settings(summary: Summary) -> Table:
    """The run's own score in every other setting, over all tasks."""
    pasting = {(setting_of(row), row.method) for row in summary.writing if row.extractive}
    body = [
        (
            row.writer,
            row.backbone,
            row.budget,
            row.method + (" †" if (setting_of(row), row.method) in pasting else ""),
            METRIC_LABEL[row.metric],
            _mean(row.mean, row.low, row.high),
            count(row.n),
            count(row.missing),
        )
        for row in summary.results
        if row.metric == summary.metric and row.task == POOLED and setting_of(row) != summary.setting
    ]
    return Table("Other settings", ("writer", "backbone", "budget", "method", "score", "mean and 95 %", "n", "missing"), tuple(body))


def failures(summary: Summary) -> Table:
    """Units without an answer, by code, with an example and what to do."""
    body = [
        (row.outcome, row.code, count(row.count), listed(row.methods), listed(row.writers), row.message or NOTHING, row.remedy)
        for row in summary.failures
    ]
    return Table("Units without an answer", ("outcome", "code", "units", "methods", "writers", "example", "what to do"), tuple(body))


def stages(operations: Operations) -> Table:
    """Seconds and rows of every stage, as journalled, longest first."""
    names = sorted({*operations.stage_seconds, *operations.rows}, key=lambda name: (-operations.stage_seconds.get(name, 0.0), name))
    body = []
    for name in names:
        seconds, rows = operations.stage_seconds.get(name), operations.rows.get(name)
        body.append((name, figure(seconds, 1), NOTHING if rows is None else count(rows)))
    return Table("Seconds and rows by stage, as journalled", ("stage", "seconds", "rows"), tuple(body))


def scored_tasks(summary: Summary) -> Sequence[str]:
    """Tasks in the order of the page: all of them pooled first, then the groups and the single tasks."""
    tasks = summary.tasks()
    return [POOLED, *(task for task in tasks if task != POOLED)] if tasks else []


def _mean(mean: float | None, low: float | None, high: float | None) -> str:
    return NOTHING if mean is None else f"{figure(mean)}\n{interval(low, high)}"


def _effect(row: Effect) -> str:
    if row.method == row.best:
        return "best judged"
    pooled = f"{figure(row.pooled, 2)}\n{interval(row.pooled_low, row.pooled_high, 2)}"
    return f"{pooled}\npaired {figure(row.paired, 2)} {interval(row.paired_low, row.paired_high, 2)}"


def _shares(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"
