"""Leaderboards from verdicts on pairs: over all judges and each judge's own, and what each judge does whatever is compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.ratings.covariates import Effects, effect_of_kin, effect_of_length
from engine.ratings.leaderboard import Leaderboard, leaderboard
from engine.ratings.matrices import Matrices
from engine.ratings.online_elo import METHOD as ELO
from engine.ratings.pipbench import METHOD as PIPBENCH
from engine.ratings.table import RatingTable
from engine.report.judging.pools import Verdicts
from engine.report.judging.rows import Beside, Board, Compared, Entry, Estimate, Habit, Lead, Meeting, Watched, estimate_of
from engine.report.rows import rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats

ANSWERS = ("first", "tie", "second")
NO_ESTIMATE = Estimate(None, None, None, 0, 0)


def compared(
    verdicts: Verdicts, bootstrap: ClusterBootstrap, seed: int, judge_families: dict[str, str], entrant_families: dict[str, str]
) -> Compared:
    """Everything that a pool's verdicts on pairs say. The families are those that are known."""
    battles = verdicts.battles
    found = leaderboard(battles, bootstrap, seed=seed, pipbench=verdicts.doubtful_tied)
    without = (found.without_one_low, found.without_one_high)
    kin, kin_note = _kin(verdicts, judge_families, entrant_families)
    return Compared(
        _board("", found.overall, found.matrices, [str(caution) for caution in found.cautions], without),
        tuple(
            _board(name, table, matrix, [str(caution) for caution in table.cautions])
            for name, table, matrix in zip(found.judges, found.by_judge, found.matrices_by_judge, strict=True)
        ),
        tuple(_beside(found)),
        found.plain.method,
        tuple(str(caution) for caution in found.plain.cautions),
        PIPBENCH,
        ELO,
        found.online.orders,
        found.online.rankings,
        tuple(_habits(verdicts, found)),
        tuple(_watched(found)),
        found.sequences.margin,
        kin,
        kin_note,
    )


def _board(judge: str, table: RatingTable, matrix: Matrices, cautions: list[str], without: tuple[Floats, Floats] | None = None) -> Board:
    order = np.argsort(-np.nan_to_num(table.rating.mean, nan=-np.inf), kind="stable")
    ranks = table.ranks
    entries = [
        Entry(
            table.entrants[m],
            estimate_of(table.rating, m),
            *(rounded(values[m]) for values in (ranks.rank, ranks.low, ranks.high, *(without or ()))),
        )
        for m in order
    ]
    pairs = zip(table.differences.first, table.differences.second, strict=True)
    family = table.differences.family
    leads = [
        Lead(
            table.entrants[one],
            table.entrants[two],
            *(rounded(values[row]) for values in (table.differences.estimates.mean, family.low, family.high, family.holm)),
        )
        for row, (one, two) in enumerate(pairs)
    ]
    return Board(judge, table.method, tuple(entries), tuple(leads), tuple(_meetings(table.entrants, matrix)), tuple(cautions))


def _meetings(entrants: tuple[str, ...], matrix: Matrices) -> Iterator[Meeting]:
    for one, two in zip(*np.nonzero(matrix.battles), strict=True):
        counts = (int(values[one, two]) for values in (matrix.wins, matrix.ties, matrix.battles))
        rates = (rounded(values[one, two]) for values in (matrix.rate, matrix.low, matrix.high))
        yield Meeting(entrants[one], entrants[two], *counts, *rates)


def _beside(found: Leaderboard) -> Iterator[Beside]:
    for m, name in enumerate(found.entrants):
        others = (found.pipbench.rating[m], found.pipbench.half[m], found.online.mean[m], found.online.sd[m])
        yield Beside(name, estimate_of(found.plain.rating, m), *(rounded(value) for value in others))


def _watched(found: Leaderboard) -> Iterator[Watched]:
    pairs = found.sequences
    for row, (one, two) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        standing = "decided" if pairs.decided[row] else "equal" if pairs.equal[row] else "open"
        mean, low, high = (rounded(values[row]) for values in (pairs.mean, pairs.low, pairs.high))
        yield Watched(found.entrants[one], found.entrants[two], mean, low, high, int(pairs.profiles[row]), standing)


def _habits(verdicts: Verdicts, found: Leaderboard) -> Iterator[Habit]:
    battles, rates = verdicts.battles, found.rates
    for j, judge in enumerate(found.judges):
        own = battles.judge == j
        given = np.bincount(battles.result[own], minlength=len(ANSWERS))
        length = effect_of_length(battles.of(own), verdicts.lengths[own])
        position = found.by_judge[j].position
        tie, first, flip, consistency = (estimate_of(each, j) for each in (rates.tie, rates.first, rates.flip, rates.consistency))
        estimate, note = _told(length)
        yield Habit(
            judge=judge,
            tie=tie,
            first=first,
            flip=flip,
            consistency=consistency,
            position=estimate_of(position, 0) if len(position.mean) else NO_ESTIMATE,
            length=estimate,
            length_note=note,
            always=rates.always[j] or "",
            most=ANSWERS[int(given.argmax())] if own.any() else "",
            most_share=float(given.max() / given.sum()) if own.any() else 0.0,
        )


def _told(found: Effects) -> tuple[Estimate, str]:
    return (estimate_of(found.estimates, 0) if len(found.estimates.mean) else NO_ESTIMATE), found.reason


def _kin(verdicts: Verdicts, judge_families: dict[str, str], entrant_families: dict[str, str]) -> tuple[Estimate | None, str]:
    """The same-family effect, where judges of several families judged entrants of known families; None where nothing can be asked."""
    battles = verdicts.battles
    judges = [judge_families.get(name, "") for name in battles.judges]
    entrants = [entrant_families.get(name, "") for name in battles.entrants]
    if len(set(entrants)) < 2 or not set(filter(None, judges)) & set(entrants):
        return None, ""
    return _told(effect_of_kin(battles, verdicts.lengths, judges, entrants))
