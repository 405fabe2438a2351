"""The tables and charts of the images' part."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from engine.report.axis import axis_over
from engine.report.cases import POOLED
from engine.report.charts import Mark, dots
from engine.report.data import CONTROLS, METHOD_ORDER, OUTCOMES, Setting
from engine.report.images.data import AGAINST, GAINS, GRAY, LABEL, LOWER_IS_BETTER, OTHERS, quality_columns
from engine.report.images.summarising import Drawn, ImageSummary
from engine.report.rows import Result
from engine.report.summary import setting_of
from engine.report.tables import Table
from engine.report.wording import NOTHING, count, figure, interval, signed_interval, task_label

_GALLERY = {
    "within": "within, cosine",
    "within_lpips": "within, perceptual",
    "between": "to strangers, cosine",
}


def labels(summary: ImageSummary) -> dict[str, str]:
    """What each metric column is called."""
    definition = summary.facts.definition
    return {**LABEL, **dict(zip(quality_columns(definition), definition.quality, strict=True))}


def figures(summary: ImageSummary, drawn: Drawn) -> list[Table]:
    """Means with intervals by method: all tasks first, then each; a column a metric that has values."""
    tasks = list(dict.fromkeys(row.task for row in _of_setting(summary, drawn)))
    ordered = [task for task in (POOLED, *tasks) if task in tasks]
    return [table for task in dict.fromkeys(ordered) for table in _figures_of(summary, drawn, task)]


def charts(summary: ImageSummary, drawn: Drawn) -> Iterator[tuple[str, Markup]]:
    """(label, chart) of each main figure over all tasks."""
    rows = [row for row in _of_setting(summary, drawn) if row.task == POOLED and row.mean is not None]
    for metric in (*AGAINST, *GAINS):
        here = [row for row in rows if row.metric == metric]
        if here:
            lower = metric in LOWER_IS_BETTER
            here.sort(key=lambda row: (row.mean or 0.0) * (1 if lower else -1))
            way = "\u2190 lower is nearer" if lower else "higher is better \u2192"
            axis = axis_over([end for row in here for end in (row.mean, row.low, row.high)], f"{LABEL[metric]}, {way}")
            marks = [Mark(row.method, row.mean, row.low, row.high, _kind(row.method), row.method in CONTROLS) for row in here if row.mean]
            yield LABEL[metric], dots(f"{LABEL[metric]} by method", marks, axis, stamp="PARTIAL" if summary.partial else "")


def pairs(summary: ImageSummary, drawn: Drawn) -> Table:
    """Paired differences over all tasks, with intervals that hold for all pairs of a metric at once, and Holm's p."""
    names = labels(summary)
    body = [
        (
            f"{row.method} \u2212 {row.other}",
            names[row.metric],
            signed_interval(row.mean, row.family_low, row.family_high),
            figure(row.holm),
            count(row.n),
        )
        for row in drawn.differences
        if setting_of(row) == _chosen(summary, drawn)
    ]
    return Table("Differences", ("methods", "figure", "difference and 95 % (simultaneous)", "Holm p", "n"), tuple(body))


def galleries(drawn: Drawn) -> Table:
    """Diversity within people and separation between them."""
    body = [(_GALLERY[row.figure], f"{figure(row.mean)}\n{interval(row.low, row.high)}", count(row.people)) for row in drawn.galleries]
    note = (
        "Mean distance of images within a person's gallery, and to strangers' galleries; cosines in the self-supervised space. Where "
        "images of one person differ as much as those of different people, no figure against a gallery can be personal."
    )
    return Table("Galleries", ("distance", "mean and 95 %", "people"), tuple(body), note)


def outcomes(drawn: Drawn) -> Table:
    """How the units of each method ended."""
    return Table(
        "How images ended", ("method", *OUTCOMES), tuple((method, *(count(n) for n in counts)) for method, counts in drawn.outcomes)
    )


def _figures_of(summary: ImageSummary, drawn: Drawn, task: str) -> Iterator[Table]:
    rows = {(row.method, row.metric): row for row in _of_setting(summary, drawn) if row.task == task}
    names = labels(summary)
    groups = {
        "against text and gallery": (*AGAINST, *GAINS),
        "without colours": GRAY,
        "by itself": (*OTHERS, *quality_columns(summary.facts.definition)),
    }
    for title, group in groups.items():
        measured = [metric for metric in group if any((method, metric) in rows for method, _ in drawn.outcomes)]
        body = []
        for method, _ in drawn.outcomes:
            found = [rows.get((method, metric)) for metric in measured]
            n = sorted({row.n for row in found if row})
            told = NOTHING if not n else count(n[0]) if len(n) == 1 else f"{count(n[0])}–{count(n[-1])}"
            body.append((method, *(_mean(row) for row in found), told))
        if measured:
            yield Table(f"{task_label(task)}: {title}", ("method", *(names[metric] for metric in measured), "n"), tuple(body))


def _mean(row: Result | None) -> str:
    return NOTHING if row is None or row.mean is None else f"{figure(row.mean)}\n{interval(row.low, row.high)}"


def _of_setting(summary: ImageSummary, drawn: Drawn) -> list[Result]:
    chosen = _chosen(summary, drawn)
    return [row for row in drawn.results if setting_of(row) == chosen]


def _chosen(summary: ImageSummary, drawn: Drawn) -> Setting | None:
    """The setting that the report is about; the only one there is if it names none."""
    return summary.setting or (setting_of(drawn.results[0]) if drawn.results else None)


def _kind(method: str) -> int:
    return METHOD_ORDER.index(method) if method in METHOD_ORDER else 7
