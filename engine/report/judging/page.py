"""`judging.html`: one static page about the judges of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from engine.report.axis import axis_over
from engine.report.cases import POOLED
from engine.report.charts import Line, Mark, dots
from engine.report.data import CONTROLS, METHOD_ORDER
from engine.report.html import rendered
from engine.report.judging import paper, tables, trust_tables
from engine.report.judging.rated import HUMAN, METRIC
from engine.report.judging.rows import Board, Pool, Tested
from engine.report.judging.summarising import Judged, JudgingSummary
from engine.report.tables import Table
from engine.report.wording import signed_interval


@dataclass(frozen=True, slots=True)
class _Part:
    """One pool's section."""

    pool: Pool
    rating_charts: list[tuple[str, Markup]]
    ratings: list[Table]
    rating_details: list[Table]
    boards: list[tuple[Table, Markup]]
    cautions: list[str]
    matrices: list[Table]
    board_details: list[Table]
    habits: Table | None
    kin: str
    turing: list[tuple[Table, Markup]]
    trust: list[Table]


def page(summary: JudgingSummary) -> str:
    """The page as HTML."""
    return rendered(
        "judging.html.j2",
        summary=summary,
        parts=[_part(summary, judged) for judged in summary.pools],
        who=tables.who(summary),
        asked=tables.asked(summary),
        kin_ratings=tables.kin_ratings(summary),
        q1=list(paper.q1_tables(summary)),
        orders=paper.orders(summary),
    )


def _part(summary: JudgingSummary, judged: Judged) -> _Part:
    metric = dict(summary.metrics).get(judged.pool.budget, "score")
    stamp = "PARTIAL" if summary.partial else ""
    rated, found, trust = judged.ratings is not None, judged.compared, judged.trust
    boards = found.shown if found else ()
    return _Part(
        judged.pool,
        list(_rating_charts(judged, stamp)) if rated else [],
        [tables.ratings(judged, metric)] if rated else [],
        [
            *(tables.ratings(judged, metric, task) for task in tables.rating_tasks(judged)),
            tables.differences(judged),
            tables.spreads(judged),
        ]
        if rated
        else [],
        [(tables.board(board), _board_chart(judged, board, stamp)) for board in boards],
        list(tables.cautions(found)) if found else [],
        [tables.matrix(board, judged.methods) for board in boards],
        [tables.leads(found), tables.watched(found), tables.beside(found)] if found else [],
        tables.habits(found) if found else None,
        _kin(judged),
        [(tables.turing(test), _turing_chart(judged, test, stamp)) for test in judged.tests],
        [
            trust_tables.calibrations(trust),
            trust_tables.kappas(trust),
            trust_tables.orders(trust, metric),
            trust_tables.together(trust),
            trust_tables.accuracies(trust),
            trust_tables.tops(trust, metric),
        ],
    )


def _rating_charts(judged: Judged, stamp: str) -> Iterator[tuple[str, Markup]]:
    assert judged.ratings is not None
    rows = [row for row in judged.ratings.results if row.task == POOLED and row.mean is not None]
    for judge in dict.fromkeys(row.metric for row in rows if row.metric != METRIC):
        here = sorted((row for row in rows if row.metric == judge), key=lambda row: -(row.mean or 0.0))
        name = tables.column_label(judge, "") if judge == HUMAN else judge
        axis = axis_over([end for row in here for end in (row.mean, row.low, row.high)], "mean rating, 0 to 5, higher is better →")
        yield (
            name,
            dots(
                f"Ratings by {name}", [_mark(judged, row.method, row.mean, row.low, row.high) for row in here], axis, digits=2, stamp=stamp
            ),
        )


def _board_name(board: Board) -> str:
    return board.judge or "all judges"


def _board_chart(judged: Judged, board: Board, stamp: str) -> Markup:
    shown = [entry for entry in board.entries if entry.rating.mean is not None]
    if not shown:
        return Markup("")
    ends = [end for entry in shown for end in (entry.rating.mean, entry.rating.low, entry.rating.high)]
    axis = axis_over([*ends, 1500.0], "rating, 1500 is the mean, stronger →")
    marks = [_mark(judged, entry.method, entry.rating.mean, entry.rating.low, entry.rating.high) for entry in shown]
    return dots(f"Leaderboard by {_board_name(board)}", marks, axis, line=Line("1500", 1500.0), digits=0, stamp=stamp)


def _turing_chart(judged: Judged, test: Tested, stamp: str) -> Markup:
    shown = [row for row in test.methods if row.rate.mean is not None]
    if not shown:
        return Markup("")
    axis = axis_over(
        [0.0, 0.5, *(end for row in shown for end in (row.rate.mean, row.rate.low, row.rate.high))], "fool rate; .50: not told apart"
    )
    marks = [_mark(judged, row.method, row.rate.mean, row.rate.low, row.rate.high, hollow=not test.discerns) for row in shown]
    return dots(f"Fool rates by {test.judge}", marks, axis, line=Line(".50", 0.5), digits=2, stamp=stamp)


def _mark(judged: Judged, method: str, value: float | None, low: float | None, high: float | None, *, hollow: bool = False) -> Mark:
    rest = [name for name in judged.methods if name not in METHOD_ORDER]
    kind = METHOD_ORDER.index(method) if method in METHOD_ORDER else len(METHOD_ORDER) + rest.index(method) % 4
    return Mark(method, value or 0.0, low, high, kind, hollow or method in CONTROLS)


def _kin(judged: Judged) -> str:
    """The same-family effect on pairs, in a sentence; "" where nothing can be asked."""
    found = judged.compared
    if found is None or found.kin is None:
        return ""
    if found.kin_note:
        return f"Same family, pairs: no figure; {found.kin_note}."
    adds = signed_interval(found.kin.mean, found.kin.low, found.kin.high, 2)
    return (
        f"Same family, pairs: being of the judge's own family adds {adds} log odds of being preferred, "
        "strengths taken as the same for all judges, length and position taken out."
    )
