"""The paper's published figures, beside ours in the paper's own layout."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from engine.report.cases import KINDS, POOLED
from engine.report.settings import writer_name
from engine.report.summary import Summary
from engine.report.tables import Table, marked
from engine.report.wording import NOTHING, count, figure, share, task_words
from engine.report.writer_tables import DAGGER, rows_of_scale


def caution() -> str:
    """Why published figures and ours may stand side by side but not be subtracted."""
    return str(_figures()["caution"])


def published_tables(summary: Summary, *, judging: bool = False) -> list[Table]:
    """The paper's table for the run's preset, published rows first and ours below; V and V-c never meet in one table.

    With `judging` what judges and people said stands on the judges' page, where this one points to.
    """
    return [_q3(summary)] if summary.metric == "v" else [_table_1(summary, judging)]


def published_orders() -> dict[str, list[str]]:
    """By what the paper's Table 1 measures, its methods by falling average."""
    rows = _figures()["table_1"]["rows"]
    named = {"V-c": "v_c", "VLM": "vlm", "humans": "human"}
    return {name: [line["method"] for line in sorted(rows, key=lambda line: -float(line[key]["average"]))] for name, key in named.items()}


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
    ours = ""
    for setting, kind, found in rows_of_scale(summary):
        by_method = {cell.method: cell for cell in found if cell.n}
        cells = [_v_and_d(cell.mean, cell.d, DAGGER if cell.extractive else "") if (cell := by_method.get(m)) else NOTHING for m in methods]
        counts = {by_method[method].n for method in methods if method in by_method}
        told = "–".join(count(n) for n in sorted({min(counts), max(counts)})) if counts else NOTHING
        rows.append(("this run", writer_name(summary, setting), kind if kind in KINDS else task_words(kind), *cells, told))
        if any(cell.extractive for cell in found):
            ours = " In this run's rows d is of the best judged method; one with † pastes captions under its writer and is not judged."
    note = f"Published figures: {published['source']}. In each cell: {published['scored_with']}.{ours} Intervals of ours stand above."
    return Table("Q3: V and Cohen's d", ("from", "backbone", "tasks", *methods, "n"), tuple(rows), note)


def _table_1(summary: Summary, judging: bool) -> Table:
    published = _figures()["table_1"]
    rows = []
    for line in published["rows"]:
        pairs = [line[judge][name] for judge in ("v_c", "vlm", "human") for name in ("average", "accuracy")]
        cells = [figure(value, 3 if index == 0 else 2 if index in (2, 4) else 1) for index, value in enumerate(pairs)]
        rows.append(("paper", line["method"], *cells, NOTHING))
    judged = ("see judging.html",) * 2 + ("if asked, see judging.html",) * 2 if judging else ("not measured",) * 4
    shares = {row.method: row for row in summary.of_setting(summary.win_share, task=POOLED, metric="v_c", among="all")}
    for row in summary.of_setting(summary.results, task=POOLED, metric="v_c"):
        won = shares.get(row.method)
        accuracy = share(won.share).removesuffix(" %") if won else NOTHING
        rows.append((f"this run ({_writer(summary)})", marked(summary, row.method), figure(row.mean), accuracy, *judged, count(row.n)))
    heads = ("from", "method", "V-c average", "V-c accuracy", "VLM average", "VLM accuracy", "human average", "human accuracy", "n")
    return Table(
        "Table 1: V-c, VLM and human", heads, tuple(rows), f"Published figures: {published['source']}. {published['scored_with']}."
    )


def _writer(summary: Summary) -> str:
    return writer_name(summary, summary.setting) if summary.setting else NOTHING


def _v_and_d(v: float | None, d: float | None, dagger: str = "") -> str:
    return f"{figure(v)}{dagger}" + (f"\nd {figure(d, 1)}" if d is not None else "")
