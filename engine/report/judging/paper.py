"""The paper's Q1 layout: by backbone and kind of task a row a method, with the run's own score, each judge and people; and its orders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from engine.report.cases import KINDS, POOLED
from engine.report.judging.rated import HUMAN, METRIC
from engine.report.judging.rows import Pool
from engine.report.judging.summarising import Judged, JudgingSummary
from engine.report.judging.tables import column_label
from engine.report.published import published_orders
from engine.report.tables import Table
from engine.report.wording import NOTHING, count, figure, interval, share, task_words


def q1_tables(summary: JudgingSummary) -> Iterator[Table]:
    """A table of averages and accuracies, and one of effects, for each way of looking, budget and renderer."""
    for (looks, budget, renderer), pools in _groups(summary):
        metric = dict(summary.metrics).get(budget, "score")
        place = Pool(looks, "all writers", "", budget, renderer).title
        columns = _columns(pools)
        yield _averages(place, pools, columns, metric)
        yield _effects(place, pools, columns, metric)


def orders(summary: JudgingSummary) -> Table:
    """How judges order the methods beside the paper's orders, by means alone; only for the budget that the paper's table is about."""
    body = [("paper", name, " > ".join(methods)) for name, methods in published_orders().items()]
    ours = []
    for (_, budget, _), pools in _groups(summary):
        metric = dict(summary.metrics).get(budget, "")
        for judged in pools if metric == "V-c" else ():
            assert judged.ratings is not None
            for column in _columns([judged]):
                rows = [row for row in judged.ratings.results if (row.metric, row.task) == (column, POOLED) and row.mean is not None]
                ranked = sorted(rows, key=lambda row: -(row.mean or 0.0))
                ours.append((judged.pool.title, column_label(column, metric), " > ".join(row.method for row in ranked)))
    note = "By means alone, near equals too: what may be said of a difference stands above. The paper's data and models differ."
    return Table("Orders beside the paper's", ("from", "by", "methods, highest first"), tuple([*body, *ours] if ours else ()), note)


def _groups(summary: JudgingSummary) -> Iterator[tuple[tuple[str, str, str], list[Judged]]]:
    rated = [judged for judged in summary.pools if judged.ratings is not None]

    def key(judged: Judged) -> tuple[str, str, str]:
        return judged.pool.looks, judged.pool.budget, judged.pool.renderer

    for group, pools in groupby(sorted(rated, key=key), key=key):
        yield group, list(pools)


def _columns(pools: list[Judged]) -> list[str]:
    found = dict.fromkeys(row.metric for judged in pools if judged.ratings for row in judged.ratings.results)
    judges = [name for name in found if name not in (METRIC, HUMAN)]
    return [*([METRIC] if METRIC in found else []), *judges, *([HUMAN] if HUMAN in found else [])]


def _kinds(judged: Judged) -> list[str]:
    assert judged.ratings is not None
    there = {row.task for row in judged.ratings.results}
    return [kind for kind in KINDS if kind in there] or [POOLED]


def _averages(place: str, pools: list[Judged], columns: list[str], metric: str) -> Table:
    body = []
    for judged in pools:
        assert judged.ratings is not None
        means = {(row.task, row.method, row.metric): row for row in judged.ratings.results}
        wins = {(row.task, row.method, row.metric): row for row in judged.ratings.wins if row.among == "all"}
        for kind in _kinds(judged):
            for method in judged.methods:
                cells, n = [], 0
                for column in columns:
                    mean, won = means.get((kind, method, column)), wins.get((kind, method, column))
                    cells.append(figure(mean.mean, 3 if column == METRIC else 2) if mean else NOTHING)
                    cells.append(share(won.share).removesuffix(" %") if won else NOTHING)
                    n = max(n, mean.n if mean else 0)
                body.append((_backbone(judged.pool, pools), _kind(kind), method, *cells, count(n)))
    named = [column_label(column, metric) for column in columns]
    heads = ("backbone", "tasks", "method", *(f"{name} {what}" for name in named for what in ("average", "accuracy")), "n at most")
    note = "Accuracy: the share of cases won, in percent, ties split. A judge's average is on 0 to 5. Intervals stand above."
    return Table(f"Q1 layout: {place}", heads, tuple(body), note)


def _effects(place: str, pools: list[Judged], columns: list[str], metric: str) -> Table:
    methods = list(dict.fromkeys(method for judged in pools for method in judged.methods))
    body = []
    for judged in pools:
        assert judged.ratings is not None
        found = {(row.task, row.metric, row.method): row for row in judged.ratings.effects}
        for kind in _kinds(judged):
            for column in columns:
                rows = [found.get((kind, column, method)) for method in methods]
                if any(rows):
                    cells = []
                    for row in rows:
                        if row is None:
                            cells.append(NOTHING)
                        elif row.method == row.best:
                            cells.append("best")
                        else:
                            cells.append(
                                f"{figure(row.pooled, 2)}\n{interval(row.pooled_low, row.pooled_high, 2)}\npaired {figure(row.paired, 2)}"
                            )
                    body.append((_backbone(judged.pool, pools), _kind(kind), column_label(column, metric), *cells))
    note = (
        "Cohen's d of the row's best method over each other one, post hoc: the best is chosen anew in each resample. First pooled, then "
        "paired."
    )
    return Table(f"Cohen's d: {place}", ("backbone", "tasks", "by", *methods), tuple(body), note)


def _backbone(pool: Pool, pools: list[Judged]) -> str:
    """The writer, with its model where it ran on several."""
    several = sum(each.pool.writer == pool.writer for each in pools) > 1
    return f"{pool.writer} on {pool.backbone}" if several else pool.writer


def _kind(task: str) -> str:
    return task if task in KINDS else task_words(task)
