"""The paper's published figures, beside ours in the paper's own layout."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from engine.report.cases import KINDS, POOLED
from engine.report.summary import Summary
from engine.report.tables import Table, marked
from engine.report.wording import NOTHING, count, figure, share, task_words


def caution() -> str:
    """Why published figures and ours may stand side by side but not be subtracted."""
    return str(_figures()["caution"])


def published_tables(summary: Summary) -> list[Table]:
    """The paper's table for the run's preset, published rows first and ours below; V and V-c never meet in one table."""
    return [_q3(summary)] if summary.metric == "v" else [_table_1(summary)]


def _figures() -> dict[str, Any]:
    text = files("engine.report.published").joinpath("vptt.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _q3(summary: Summary) -> Table:
    published = _figures()["q3"]
    methods = published["methods"]
    rows = []
    for line in published["rows"]:
        cells = [_v_and_d(v, d) for v, d in zip(line["v"], line["d"], strict=True)]
        rows.append(("paper", line["backbone"], line["kind"], *cells, NOTHING))
    writer = _writer(summary)
    means = {(row.task, row.method): row for row in summary.of_setting(summary.results, metric="v")}
    effects = {(row.task, row.method): row for row in summary.of_setting(summary.cohens_d, metric="v")}
    kinds = [task for task in summary.tasks() if task in KINDS] or [POOLED]
    for kind in kinds:
        cells, counts = [], []
        for method in methods:
            mean, effect = means.get((kind, method)), effects.get((kind, method))
            cells.append(_v_and_d(mean.mean, effect.pooled if effect else None, _dagger(summary, method)) if mean else NOTHING)
            counts += [mean.n] if mean else []
        told = NOTHING if not counts else count(counts[0]) if len(set(counts)) == 1 else f"{count(min(counts))}–{count(max(counts))}"
        rows.append(("this run", writer, kind if kind in KINDS else task_words(kind), *cells, told))
    ours = f" In this run's rows d is of the best judged method ({', '.join(summary.judged())})." if summary.extractive else ""
    note = f"Published figures: {published['source']}. In each cell: {published['scored_with']}.{ours} Intervals of ours stand above."
    return Table("Q3: V and Cohen's d", ("from", "backbone", "tasks", *methods, "n"), tuple(rows), note)


def _table_1(summary: Summary) -> Table:
    published = _figures()["table_1"]
    rows = []
    for line in published["rows"]:
        pairs = [line[judge][name] for judge in ("v_c", "vlm", "human") for name in ("average", "accuracy")]
        cells = [figure(value, 3 if index == 0 else 2 if index in (2, 4) else 1) for index, value in enumerate(pairs)]
        rows.append(("paper", line["method"], *cells, NOTHING))
    shares = {row.method: row for row in summary.of_setting(summary.win_share, task=POOLED, metric="v_c", among="all")}
    for row in summary.of_setting(summary.results, task=POOLED, metric="v_c"):
        won = shares.get(row.method)
        accuracy = share(won.share).removesuffix(" %") if won else NOTHING
        judged = ("not measured",) * 4
        rows.append((f"this run ({_writer(summary)})", marked(summary, row.method), figure(row.mean), accuracy, *judged, count(row.n)))
    heads = ("from", "method", "V-c average", "V-c accuracy", "VLM average", "VLM accuracy", "human average", "human accuracy", "n")
    return Table(
        "Table 1: V-c, VLM and human", heads, tuple(rows), f"Published figures: {published['source']}. {published['scored_with']}."
    )


def _writer(summary: Summary) -> str:
    if summary.setting is None:
        return NOTHING
    return summary.setting.backbone or summary.setting.writer


def _v_and_d(v: float | None, d: float | None, dagger: str = "") -> str:
    return f"{figure(v)}{dagger}" + (f"\nd {figure(d, 1)}" if d is not None else "")


def _dagger(summary: Summary, method: str) -> str:
    return " †" if method in summary.extractive else ""
