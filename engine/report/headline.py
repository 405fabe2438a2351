"""Three lines of result for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.summary import Summary
from engine.report.verdict import conclusion
from engine.report.wording import METRIC_LABEL, count, counted, figure, interval


def headline(summary: Summary) -> list[str]:
    """What was scored, how the methods rank by the run's own score, and what may be concluded; plain text, three lines."""
    label = METRIC_LABEL[summary.metric]
    state = ("complete" if summary.complete else "incomplete") + (", PARTIAL" if summary.partial else "")
    people = counted(summary.planned_people, "person")
    if summary.partial:
        people = f"{count(summary.planned_people)} of {counted(summary.total_people, 'person')}"
    found = summary.of_setting(summary.results, task=POOLED, metric=summary.metric)
    ranked = sorted((row for row in found if row.mean is not None), key=lambda row: -row.mean)
    n = max((row.n for row in ranked), default=0)
    marks = [
        f"{row.method}{'†' if row.method in summary.extractive else ''} {figure(row.mean)} {interval(row.low, row.high)}" for row in ranked
    ]
    lines = [
        f"{summary.name}: {state}, {', '.join([people, _prompts(summary), *_unreferenced(summary)])}",
        f"{label} (n = {count(n)} a method): {', '.join(marks)}{_dagger(marks)}" if marks else f"{label}: no unit has a score",
        next(conclusion(summary)),
    ]
    # A name may hold anything, and a terminal obeys control characters.
    return ["".join(letter if letter.isprintable() else " " for letter in line) for line in lines]


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
