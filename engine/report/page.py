"""`index.html`: one static page that opens from disk, without script, without a network, and with every text escaped."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

import pyarrow as pa
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine.report import figures, methods_text, tables
from engine.report.cases import POOLED
from engine.report.comparison import COMPARED
from engine.report.data import Operations, RunFacts
from engine.report.published import caution, published_tables
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, METRIC_MEANING, REFERENCE, REFERENCE_MEANING, count, counted, figure, share, task_label


def page(summary: Summary, facts: RunFacts, operations: Operations, scores: pa.Table) -> str:
    """The page as HTML. Its policy allows the one style sheet inside it, by hash, and images; no script at all."""
    environment = Environment(
        loader=PackageLoader("engine.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(count=count, counted=counted, figure=figure, share=share, task=task_label)
    style = files("engine.report").joinpath("templates", "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        style=Markup(style),  # ours, not a user's
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
        summary=summary,
        facts=facts,
        **_scores(summary),
        **_beside(summary, facts, operations, scores),
    )


def _scores(summary: Summary) -> dict[str, Any]:
    charts = figures.score_charts(summary, summary.metric)
    tasks = tables.scored_tasks(summary)
    return {
        "label": METRIC_LABEL[summary.metric],
        "meaning": METRIC_MEANING[summary.metric],
        "status": methods_text.status(summary),
        "legend": figures.legend(summary),
        "board": [(task, charts.get(task), tables.scoreboard(summary, task)) for task in tasks],
        "outcomes": tables.outcomes(summary),
        "others": tables.other_settings(summary),
        "components": [tables.components(summary, task) for task in tasks],
        "reference": REFERENCE,
        "reference_meaning": REFERENCE_MEANING,
        "component_charts": [(METRIC_LABEL[metric], METRIC_MEANING[metric], chart) for metric, chart in figures.component_charts(summary)],
        "differences": [tables.differences(summary, task) for task in tasks],
        "wins": [
            (figures.win_chart(summary, among), [tables.win_share(summary, task, among) for task in tasks]) for among in ("all", "verdict")
        ],
        "effects": [tables.cohens_d(summary, metric) for metric in COMPARED[summary.metric]],
        "disagreements": [row for row in summary.disagreements if row.task != POOLED],
        "metric_label": METRIC_LABEL,
    }


def _beside(summary: Summary, facts: RunFacts, operations: Operations, scores: pa.Table) -> dict[str, Any]:
    return {
        "ceilings": tables.ceilings(summary),
        "words": tables.words(summary),
        "words_chart": figures.words_chart(summary, scores),
        "retrieval": tables.retrieval(summary),
        "retrieval_chart": figures.retrieval_chart(summary),
        "failures": summary.failures,
        "caution": caution(),
        "published": published_tables(summary),
        "time_chart": figures.time_chart(operations, figures.stamp_of(summary)),
        "stages": tables.stages(operations),
        "operations": operations,
        "paragraphs": list(methods_text.paragraphs(summary, facts)),
        "definitions": methods_text.definitions(summary, facts),
        "experiment": json.dumps(facts.experiment, indent=2, sort_keys=True, ensure_ascii=False) if facts.experiment else "",
    }
