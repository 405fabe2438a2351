"""The writers of a run side by side, as tables: the paper's scale table, whether their orders agree, and how each of them wrote."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.cases import KINDS, POOLED
from engine.report.data import Setting
from engine.report.scale import ScaleCell
from engine.report.settings import settings, under, writer_name
from engine.report.summary import Summary, setting_of
from engine.report.tables import Table
from engine.report.verdict.writers import sure_pairs
from engine.report.wording import METRIC_LABEL, NOTHING, count, figure, interval, listed, share, task_words
from engine.report.writing import Writing

DAGGER = " †"

_ENDED = ("units", "refused", "unparsed", "failed")
_TOKENS = ("input_tokens", "output_tokens")
_HEADS = ("prompts", "refused", "unparsed", "failed", "cut", "ended at the limit", "tokens in", "tokens out")


def rows_of_scale(summary: Summary) -> list[tuple[Setting, str, list[ScaleCell]]]:
    """(setting, tasks, cells) for generation and editing, in the paper's order; for all tasks where a run has neither."""
    kinds = [kind for kind in KINDS if kind in summary.tasks()] or [POOLED]
    return [(setting, kind, found) for kind in kinds for setting in settings(summary) if (found := _cells(summary, setting, kind))]


def scale_table(summary: Summary) -> Table:
    """One row a writer and kind of task, one column a method: mean, d of the row's best, n and coverage."""
    label = METRIC_LABEL[summary.metric]
    note = (
        f"In each cell: mean {label}; Cohen's d of the row's best judged method over this one, post hoc (the best is chosen anew in each "
        "resample); cases of the mean, and units with an answer. Intervals stand in the next table."
    )
    rows = rows_of_scale(summary)
    if any(cell.extractive for _, _, cells in rows for cell in cells):
        note += " † extractive under this writer: it pastes captions, is not judged and is never the best, so its d may be negative."
    return _scale(summary, f"{label} and Cohen's d by writer", rows, note)


def scale_by_task(summary: Summary) -> Table:
    """The same by single task, where a kind has several."""
    tasks = [task for task in summary.tasks() if task not in (*KINDS, POOLED)]
    kinds = [kind for kind in KINDS if kind in summary.tasks()]
    rows = [(setting, task, found) for task in tasks for setting in settings(summary) if (found := _cells(summary, setting, task))]
    return _scale(summary, f"{METRIC_LABEL[summary.metric]} and Cohen's d by writer and task", rows if len(tasks) > len(kinds) else [], "")


def _scale(summary: Summary, title: str, rows: Sequence[tuple[Setting, str, list[ScaleCell]]], note: str) -> Table:
    methods = list(dict.fromkeys(cell.method for _, _, cells in rows for cell in cells))
    body = []
    for setting, task, cells in rows:
        found = {cell.method: _cell(cell) for cell in cells}
        body.append((writer_name(summary, setting), task_words(task), *(found.get(method, NOTHING) for method in methods)))
    return Table(title, ("writer", "tasks", *methods), tuple(body), note)


def _cells(summary: Summary, setting: Setting, task: str) -> list[ScaleCell]:
    return [row for row in summary.scale if row.task == task and setting_of(row) == setting]


def _cell(cell: ScaleCell) -> str:
    mean = figure(cell.mean) + (DAGGER if cell.extractive else "")
    return f"{mean}\n{_d(cell)}\nn {count(cell.n)}, {_answered(cell)} answered"


def _d(cell: ScaleCell) -> str:
    return "best judged" if cell.is_best else f"d {figure(cell.d, 2)}"


def _answered(cell: ScaleCell) -> str:
    units = cell.answered + cell.refused + cell.unparsed + cell.failed + cell.absent
    return share(cell.answered / units) if units else NOTHING


def scale_details(summary: Summary) -> Table:
    """Every cell of the scale table with its intervals and how its units ended."""
    body = [
        (
            f"{writer_name(summary, setting)}, {task_words(task)}", cell.method + (DAGGER if cell.extractive else ""),
            f"{figure(cell.mean)}\n{interval(cell.low, cell.high)}",
            "best judged" if cell.is_best else f"{figure(cell.d, 2)}\n{interval(cell.d_low, cell.d_high, 2)}", count(cell.n),
            count(cell.clusters), *(count(number) for number in (cell.answered, cell.refused, cell.unparsed, cell.failed, cell.absent)),
        )
        for setting, task, cells in rows_of_scale(summary)
        for cell in cells
    ]  # fmt: skip
    heads = (
        "writer, tasks", "method", METRIC_LABEL[summary.metric], "d of the best", "n", "clusters", "answered", "refused", "unparsed",
        "failed", "absent",
    )  # fmt: skip
    return Table("By writer, with intervals and outcomes", heads, tuple(body))


def orders(summary: Summary) -> Table:
    """For every two writers, whether they order the methods alike, over all tasks."""
    body = []
    for row in summary.writer_agreement:
        one, two = Setting(row.writer, row.backbone, row.budget), Setting(row.other_writer, row.other_backbone, row.budget)
        if row.task != POOLED or one not in settings(summary):
            continue
        alike, turned = sure_pairs(under(summary, one), under(summary, two))
        tau = f"{figure(row.tau, 2)} {interval(row.low, row.high, 2)}"
        pair = f"{writer_name(summary, one)} and {writer_name(summary, two)}"
        body.append((pair, tau, count(row.methods), count(len(alike)), listed(turned), count(row.n), count(row.clusters)))
    heads = ("writers", "Kendall's tau", "methods", "pairs sure and alike", "pairs sure and turned round", "cases", "clusters")
    note = "Methods that are judged under both writers, on the cases that both wrote for. A pair is sure where its family's test says so."
    return Table("Does the order of the methods depend on the writer?", heads, tuple(body), note)


def writers(summary: Summary) -> Table:
    """How each writer wrote, over all that it wrote: methods and the controls that need a writer."""
    body = []
    for setting in settings(summary):
        rows = [row for row in summary.writing if setting_of(row) == setting and row.written]
        models = sorted({model for row in rows for model in row.models})
        body.append((writer_name(summary, setting), setting.backbone or NOTHING, *_counts(rows), listed(models) if models else NOTHING))
    note = (
        "Of its methods and of the controls that need a writer; prompts of halves are not counted. Cut: answered prompts that lost what "
        "went over the budget, or the unfinished clause of a reply that ended at the limit of its tokens. Tokens: means of answered calls."
    )
    return Table("Writers", ("writer", "engine and model", *_HEADS, "model named in replies"), tuple(body), note)


def writing(summary: Summary) -> Table:
    """How each writer wrote, method by method."""
    body = [
        (writer_name(summary, setting), row.method + (DAGGER if row.extractive else ""), *_counts([row]))
        for setting in settings(summary)
        for row in summary.writing
        if setting_of(row) == setting and row.written
    ]
    return Table("Writers, by method", ("writer", "method", *_HEADS), tuple(body))


def _counts(rows: Sequence[Writing]) -> tuple[str, ...]:
    """Cells under `_HEADS`, of all these rows together."""
    totals = {name: sum(getattr(row, name) for row in rows) for name in ("answered", "counted", "cut", "cut_off", *_ENDED, *_TOKENS)}
    answered, counted = totals["answered"], totals["counted"]
    return (
        *(count(totals[name]) for name in _ENDED),
        share(totals["cut"] / answered) if answered else NOTHING,
        share(totals["cut_off"] / counted) if counted else NOTHING,
        *(figure(totals[name] / counted, 1) if counted else NOTHING for name in _TOKENS),
    )


def are_worth_a_section(summary: Summary) -> bool:
    """Whether a report says anything of writers: there are several, or one is a language model."""
    return len(settings(summary)) > 1 or any(row.counted or row.refused or row.unparsed for row in summary.writing)
