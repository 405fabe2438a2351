"""Every two methods against each other, as words: simultaneous intervals, Holm's p values, and slices of the leading pair."""

from __future__ import annotations

from itertools import combinations

from engine.report.cases import POOLED
from engine.report.comparison import COMPARED
from engine.report.data import CONTROLS
from engine.report.pairs import Pair, p_value, pair_of
from engine.report.rows import Difference
from engine.report.slices import Slice
from engine.report.summary import Summary
from engine.report.tables import Table, marked
from engine.report.wording import METRIC_LABEL, NOTHING, count, signed, signed_interval, task_label, task_words

_SIMULTANEOUS = (
    "A simultaneous interval covers the differences of all pairs of the task and metric at once with 95 %, and Holm's p is adjusted for "
    "all of them; only these two carry a claim."
)


def pairs(summary: Summary, task: str = POOLED, *, controls: bool = False) -> Table:
    """Paired differences in the run's own score: of the methods, or with `controls` those in which a control takes part."""
    body = []
    for row in summary.of_setting(summary.differences, task=task, metric=summary.metric):
        if bool({row.method, row.other} & set(CONTROLS)) != controls:
            continue
        own = "no interval" if row.low is None else signed_interval(row.mean, row.low, row.high).split(" ", 1)[1]
        figures = (signed(row.mean), own, _simultaneous(row), _p(row.holm), count(row.n), count(row.clusters))
        body.append((_name(summary, row.method, row.other), *figures))
    heads = ("difference", METRIC_LABEL[summary.metric], "its own 95 %", "simultaneous 95 %", "Holm p", "cases", "clusters")
    beside = " with controls" if controls else ""
    return Table(f"Paired differences{beside} in {METRIC_LABEL[summary.metric]}, {task_words(task)}", heads, tuple(body), _SIMULTANEOUS)


def other_scores(summary: Summary, task: str = POOLED) -> Table:
    """The same pairs of methods in the other scores, marked where the order by the run's own score turns round."""
    metrics = [metric for metric in COMPARED[summary.metric] if metric != summary.metric]
    methods = [method for method in summary.methods() if method not in CONTROLS]
    body = []
    measured = {row.metric for row in summary.of_setting(summary.differences, task=task)}
    metrics = [metric for metric in metrics if metric in measured]
    for one, two in combinations(methods, 2):
        own = pair_of(summary, two, one, summary.metric, task)
        if own is None:
            continue
        found = [pair_of(summary, two, one, metric, task) for metric in metrics]
        cells = [NOTHING if pair is None else _beside(own, pair) for pair in found]
        body.append((_name(summary, two, one), *cells, count(own.n)))
    heads = ("difference", *(METRIC_LABEL[metric] for metric in metrics), "cases")
    note = (
        "Simultaneous intervals. \u21c4: the order of means by "
        + METRIC_LABEL[summary.metric]
        + " turns round; \u21c4! surely so both ways."
    )
    return Table(f"The same pairs in other scores, {task_words(task)}", heads, tuple(body) if metrics else (), note)


def _beside(own: Pair, pair: Pair) -> str:
    turned = own.mean * pair.mean < 0
    sure = (own.ahead and pair.behind) or (own.behind and pair.ahead)
    mean, _, ends = pair.figures.partition(" ")
    mark = " \u21c4!" if sure else " \u21c4" if turned else ""
    return f"{mean}{mark}\n{ends}"


def slices(summary: Summary, kinds: tuple[str, ...]) -> Table:
    """The leading pair's difference in the slices of these kinds."""
    every = [row for row in summary.slices if row.kind in kinds]
    rows = [row for row in every if row.p is not None]
    body = [
        (_slice(row), signed_interval(row.mean, row.low, row.high), _p(row.p), _p(row.q), count(row.n), count(row.clusters)) for row in rows
    ]
    pair = f"{rows[0].method} \u2212 {rows[0].other}" if rows else ""
    tested = sum(row.q is not None for row in summary.slices)
    note = (
        f"q is Benjamini and Hochberg's over the {count(tested)} slices with a p value, of all kinds: among those at or under .05 at "
        "most one in twenty is expected to be false. Slices are looked through after the fact; the verdict uses none of them. "
        f"{count(len(every) - len(rows))} with too few people are left out of this table."
    )
    heads = ("slice", f"difference in {METRIC_LABEL[summary.metric]}", "p", "q", "cases", "clusters")
    return Table(f"{pair} by {' and '.join('query family' if kind == 'family' else kind for kind in kinds)}", heads, tuple(body), note)


def _slice(row: Slice) -> str:
    return task_label(row.value) if row.kind == "task" else row.value


def _name(summary: Summary, one: str, two: str) -> str:
    return f"{marked(summary, one)} \u2212 {marked(summary, two)}"


def _simultaneous(row: Difference) -> str:
    if row.family_low is None or row.family_high is None:
        return "no interval"
    return f"[{signed(row.family_low)}, {signed(row.family_high)}]"


def _p(p: float | None) -> str:
    return NOTHING if p is None else p_value(p).removeprefix("= ")
