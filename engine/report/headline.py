"""Four lines of result for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.controls import gain_of, gain_told
from engine.report.data import CONTROLS
from engine.report.personal import GAIN
from engine.report.settings import settings, writer_name
from engine.report.summary import Summary
from engine.report.verdict import first_sentence
from engine.report.wording import METRIC_LABEL, count, counted, figure, interval


def headline(summary: Summary) -> list[str]:
    """What was scored, what of it is personal, how the methods rank by the run's own score, and what may be concluded; plain text."""
    label = METRIC_LABEL[summary.metric]
    state = ("complete" if summary.complete else "incomplete") + (", PARTIAL" if summary.partial else "")
    people = counted(summary.planned_people, "person")
    if summary.partial:
        people = f"{count(summary.planned_people)} of {counted(summary.total_people, 'person')}"
    found = summary.of_setting(summary.results, task=POOLED, metric=summary.metric)
    ranked = sorted((row for row in found if row.mean is not None), key=lambda row: -row.mean)
    n = max((row.n for row in ranked), default=0)
    marks = [f"{_marked(summary, row.method)} {figure(row.mean)} {interval(row.low, row.high)}" for row in ranked]
    lines = [
        f"{summary.name}: {state}, {', '.join([people, _prompts(summary), *_unreferenced(summary)])}",
        _gains(summary),
        f"{label}{_writer(summary)} (n = {count(n)} a method): {', '.join(marks)}{_dagger(marks)}"
        if marks
        else f"{label}: no unit has a score",
        first_sentence(summary),
    ]
    # A name may hold anything, and a terminal obeys control characters.
    return ["".join(letter if letter.isprintable() else " " for letter in line) for line in lines]


def _writer(summary: Summary) -> str:
    """Whose prompts the lines are about, where there are several writers."""
    if summary.setting is None or len(settings(summary)) < 2:
        return ""
    return f" by {writer_name(summary, summary.setting)}"


def _gains(summary: Summary) -> str:
    """The methods' gains with their simultaneous intervals, the highest first; controls do not compete."""
    label = METRIC_LABEL[GAIN[summary.metric]]
    found = [row for method in summary.methods() if method not in CONTROLS and (row := gain_of(summary, method))]
    found.sort(key=lambda row: -(row.mean or 0.0))
    if not found:
        return f"{label}: not measured"
    told = ", ".join(f"{_marked(summary, row.method)} {gain_told(row)}" for row in found)
    return f"{label} (n = {count(max(row.n for row in found))} a method): {told}"


def _marked(summary: Summary, method: str) -> str:
    return f"{method}{'†' if method in summary.extractive else ''}"


def _prompts(summary: Summary) -> str:
    """How many prompts there are, and how many of them ended without a score: failed, refused or unparsed."""
    planned, rows = counted(summary.units, "prompt"), summary.rows
    prompts = planned if rows == summary.units else f"{count(rows)} of {planned}"
    unscored = rows - sum(row.answered for row in summary.outcomes if row.task == POOLED)
    if unscored:
        return f"{prompts}, {count(unscored)} of them without a score"
    return f"{prompts}, all with a score" if rows else prompts


def _unreferenced(summary: Summary) -> Iterator[str]:
    """How many people lack a ceiling, if any do."""
    ceiling = next((row for row in summary.ceilings if row.metric == summary.metric), None)
    if ceiling is None and summary.rows:
        yield "no person with a ceiling"
    elif ceiling is not None and ceiling.missing:
        yield f"{counted(ceiling.missing, 'person')} without a ceiling"


def _dagger(marks: list[str]) -> str:
    return " († pastes captions, not judged)" if any("†" in mark for mark in marks) else ""
