"""What every sentence of the verdict is limited to: the run, its size, what is missing, the metric, the encoder, the models."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.controls import ran
from engine.report.data import CONTROLS, RunFacts
from engine.report.rows import Bound
from engine.report.summary import Summary
from engine.report.verdict.leads import led
from engine.report.wording import METRIC_LABEL, count, counted, figure, interval, listed, share
from engine.statistics.estimates import FEW_CLUSTERS


def standing(summary: Summary) -> Iterator[str]:
    """That the run is partial or incomplete."""
    if summary.partial:
        people = f"{count(summary.planned_people)} of {counted(summary.total_people, 'person')}"
        yield f"PARTIAL: {people} planned; the figures describe those."
    if not summary.complete:
        yield "Incomplete: some planned units have no outcome yet, and the figures can still move."


def reference(summary: Summary) -> Iterator[str]:
    """What people's own captions score."""
    ceiling = next((row for row in summary.ceilings if row.metric == summary.metric), None)
    if ceiling:
        yield (
            f"People's own captions, each with itself left out, score {METRIC_LABEL[summary.metric]} {figure(ceiling.mean)} "
            f"({interval(ceiling.low, ceiling.high)}) over {counted(ceiling.n, 'person')}: a reference for every score, not a limit."
        )


def bounds(summary: Summary) -> list[Bound]:
    """The worst-case bounds of judged methods in the run's own score over all tasks, where more than 1 % is missing."""
    rows = summary.of_setting(summary.bounds, task=POOLED, metric=summary.metric)
    return [row for row in rows if row.method in summary.judged()]


def missing(summary: Summary) -> Iterator[str]:
    """What the missing units could change, and which leads they could undo."""
    rows = bounds(summary)
    if not rows:
        return
    label = METRIC_LABEL[summary.metric]
    told = [f"{row.method} {figure(row.low)} to {figure(row.high)} ({share(row.missing / row.cases)} missing)" for row in rows]
    best, pairs = led(summary)
    undone = [pair.other for pair in pairs if _end(summary, rows, best, least=True) <= _end(summary, rows, pair.other, least=False)]
    lost = f" In the worst case the lead of {best} over {listed(undone)} is undone." if undone else ""
    kept = " In the worst case every lead above still stands." if pairs and not undone else ""
    yield f"Had every missing unit the least or the most {label} there is, mean {label} would lie within: {listed(told)}.{lost}{kept}"


def _end(summary: Summary, rows: list[Bound], method: str, *, least: bool) -> float:
    """The least or the most that a method's mean could be."""
    for row in rows:
        if row.method == method:
            return row.low if least else row.high
    found = summary.result(method, POOLED, summary.metric)
    return found.mean if found and found.mean is not None else 0.0


def limits(summary: Summary, facts: RunFacts) -> Iterator[str]:
    """What the sentences above do not reach beyond."""
    clusters = {row.clusters for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric) if row.n}
    if clusters and min(clusters) < FEW_CLUSTERS:
        few = counted(min(clusters), "cluster")
        yield f"Small: {few} of people, under {FEW_CLUSTERS}; intervals are rough, and these people may not stand for others."
    metric = facts.metric_id(summary.metric) or METRIC_LABEL[summary.metric]
    yield (
        f"Differences are within this metric ({metric}) and this encoder ({facts.encoder}). Intervals in the verdict cover all comparisons "
        "of the same metric over all tasks at once with 95 %; those at equal length and those of shares are each for itself."
    )
    lacking = [control for control in CONTROLS if control not in ran(summary)]
    if len(lacking) == len(CONTROLS):
        yield "This run has no controls: what a stranger's prompt, chance or unrelated text would score is not known."
    elif lacking:
        yield f"Without the control {listed(lacking)}, what it would show is not known."
    if facts.stand_ins:
        yield f"Stand-in models ({listed(list(facts.stand_ins.values()))}) prove the machinery, not the science."
    if any(row.task.endswith("-editing") for row in summary.outcomes):
        yield (
            "Editing tasks are scored as text here; what became of the images stands on the images' page."
            if facts.images
            else "Editing tasks are text-only edit instructions: no image was edited."
        )
