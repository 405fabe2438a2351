"""`index.html`: one static page that opens from disk, without script, without a network, and with every text escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from engine.report import figures, methods_text, pair_tables, tables, trust_charts, trust_tables, writer_tables
from engine.report.cases import POOLED
from engine.report.comparison import ORDERING
from engine.report.controls import ran
from engine.report.data import Operations, RunFacts
from engine.report.html import rendered
from engine.report.published import caution, published_tables
from engine.report.settings import settings
from engine.report.slices import KINDS_OF_SLICE
from engine.report.summary import Summary
from engine.report.verdict import controls, personal
from engine.report.wording import (
    METRIC_LABEL,
    METRIC_MEANING,
    REFERENCE,
    REFERENCE_MEANING,
)


def page(summary: Summary, facts: RunFacts, operations: Operations, scores: pa.Table, judged: Sequence[str] = ()) -> str:
    """The page as HTML; `judged` as for `write_report`."""
    return rendered(
        "page.html.j2",
        summary=summary,
        facts=facts,
        judged=judged,
        **_scores(summary),
        **_writers(summary),
        **_trust(summary),
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
        "differences": [(pair_tables.pairs(summary, task), pair_tables.other_scores(summary, task)) for task in tasks],
        "with_controls": pair_tables.pairs(summary, controls=True),
        "slices": [pair_tables.slices(summary, kinds) for kinds in (KINDS_OF_SLICE[:2], KINDS_OF_SLICE[2:])],
        "wins": [
            (figures.win_chart(summary, among), [tables.win_share(summary, task, among) for task in tasks]) for among in ("all", "verdict")
        ],
        "effects": [tables.cohens_d(summary, metric) for metric in ORDERING[summary.metric]],
        "disagreements": [row for row in summary.disagreements if row.task != POOLED],
        "metric_label": METRIC_LABEL,
    }


def _writers(summary: Summary) -> dict[str, Any]:
    """Scale tables only of several writers; nothing at all where a template alone wrote."""
    several, told = len(settings(summary)) > 1, writer_tables.are_worth_a_section(summary)
    made = (writer_tables.scale_table, writer_tables.scale_details, writer_tables.scale_by_task, writer_tables.orders)
    nothing = tables.Table("", (), ())
    scale, details, by_task, orders = (table(summary) if several else nothing for table in made)
    return {
        "scale": scale,
        "scale_details": details,
        "scale_by_task": by_task,
        "writer_orders": orders,
        "writers": writer_tables.writers(summary) if told else None,
        "writing": writer_tables.writing(summary) if told else None,
    }


def _trust(summary: Summary) -> dict[str, Any]:
    return {
        "controls_ran": ran(summary),
        "distrust": list(controls.distrust(summary)),
        "personalised": [*personal.personalised(summary), *personal.share_of_leads(summary)],
        "gain_charts": trust_charts.gain_charts(summary),
        "gains": trust_tables.gains(summary),
        "gain_parts": trust_tables.gain_parts(summary),
        "checks": trust_tables.control_checks(summary),
        "survival": trust_tables.survival(summary),
        "cross_chart": trust_charts.cross_chart(summary),
        "cross_fitted": trust_tables.cross_fitted(summary),
        "second": trust_tables.second(summary),
        "orders": trust_tables.orders(summary),
        "equal_length": trust_tables.equal_length(summary),
        "reidentified": trust_tables.reidentified(summary),
        "copying": trust_tables.copying(summary),
        "bounds": trust_tables.bounds(summary),
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
        "published": published_tables(summary, judging=facts.judging),
        "time_chart": figures.time_chart(operations, figures.stamp_of(summary)),
        "stages": tables.stages(operations),
        "operations": operations,
        "paragraphs": list(methods_text.paragraphs(summary, facts)),
        "definitions": methods_text.definitions(summary, facts),
        "experiment": json.dumps(facts.experiment, indent=2, sort_keys=True, ensure_ascii=False) if facts.experiment else "",
    }
