"""Everything that a report says about ratings, from verdicts and the run's resamples.

`leaderboard(battles, bootstrap)` is the only call that a report needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import FIRST, SECOND, Battles
from engine.ratings.cautions import Caution, Kind
from engine.ratings.counts import Counts, count
from engine.ratings.matrices import Matrices, matrices
from engine.ratings.online_elo import ORDERS, OnlineElo, online_elo
from engine.ratings.pipbench import PipbenchElo, pipbench_elo
from engine.ratings.rates import JudgeRates, judge_rates
from engine.ratings.sequences import PairSequences, pair_sequences
from engine.ratings.table import RatingTable, point_ratings, rate
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Flags, Floats


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Ratings of `entrants` by `judges`, and what they rest on.

    `overall` is the headline over all judges, judges as fixed effects; `by_judge` the same fit on each judge's own verdicts; `plain`
    Bradley-Terry with ties as half wins. `without_one_low` and `without_one_high` (entrants,) are the least and greatest rating when one
    judge is left out, NaN with a single judge. `pipbench` and `online` are the parity and display methods. `cautions` are those of
    `overall` and what concerns judges.
    """

    entrants: tuple[str, ...]
    judges: tuple[str, ...]
    overall: RatingTable
    by_judge: tuple[RatingTable, ...]
    plain: RatingTable
    pipbench: PipbenchElo
    online: OnlineElo
    without_one_low: Floats
    without_one_high: Floats
    rates: JudgeRates
    matrices: Matrices
    matrices_by_judge: tuple[Matrices, ...]
    sequences: PairSequences
    cautions: tuple[Caution, ...]


def leaderboard(
    battles: Battles,
    bootstrap: ClusterBootstrap,
    *,
    seed: int = 0,
    orders: int = ORDERS,
    pipbench: Battles | None = None,
) -> Leaderboard:
    """All ratings and rates of `battles`.

    Args:
        battles: verdicts; `clusters` must be those that `bootstrap` resamples.
        bootstrap: the run's resamples of people.
        seed: of the orders of online Elo.
        orders: how many of them.
        pipbench: the same verdicts with doubtful ones as ties, where judges tell their confidence; `battles` itself if None.

    Raises:
        ValueError: the resamples are not of these clusters.
    """
    if len(battles.clusters) != bootstrap.clusters:
        raise ValueError(f"{len(battles.clusters)} clusters of verdicts, but resamples of {bootstrap.clusters}")
    counts = count(battles)
    kept, cautions = _sides(counts)
    judged = counts.of_judges(kept)
    overall = rate(judged, bootstrap)
    numbers = range(len(battles.judges))
    low, high = _without_one(judged)
    met = matrices(battles)
    alone = len(numbers) == 1 and bool(kept.all())  # the fit over all judges is the one judge's own
    return Leaderboard(
        battles.entrants,
        battles.judges,
        overall,
        (overall,) if alone else tuple(rate(counts.of_judges(np.arange(len(numbers)) == judge), bootstrap) for judge in numbers),
        rate(counts, bootstrap, position=False, ties=False),
        pipbench_elo(counts if pipbench is None else count(pipbench)),
        online_elo(battles, seed, orders),
        low,
        high,
        judge_rates(battles),
        met,
        (met,) if alone else tuple(matrices(battles.of_judge(judge)) for judge in numbers),
        pair_sequences(counts),
        (*overall.cautions, *cautions),
    )


def _sides(counts: Counts) -> tuple[Flags, list[Caution]]:
    """Which judges the ratings over all judges rest on, and why others are left out.

    A judge that never prefers one of the sides puts its own position term at infinity, and says next to nothing about strength. If no
    other is left, all are kept.
    """
    sides = np.stack([np.bincount(counts.judge, counts.totals[:, side], len(counts.judges)) for side in (FIRST, SECOND)], axis=1)
    silent = np.bincount(counts.judge, minlength=len(counts.judges)) == 0
    one_sided = ~sides.all(axis=1) & ~silent
    cautions = [
        Caution(kind, tuple(name for name, is_one in zip(counts.judges, which, strict=True) if is_one))
        for kind, which in ((Kind.ONE_SIDED, one_sided), (Kind.NO_VERDICT, silent))
        if which.any()
    ]
    kept = ~silent & ~one_sided
    return (kept if kept.any() else ~silent), cautions


def _without_one(counts: Counts) -> tuple[Floats, Floats]:
    """Least and greatest rating of each entrant over the fits that leave one judge out."""
    wide, judges = len(counts.entrants), len(counts.judges)
    low, high = np.full(wide, np.nan), np.full(wide, np.nan)
    if judges < 2:
        return low, high
    found = np.stack([point_ratings(counts.of_judges(np.arange(judges) != judge)) for judge in range(judges)])
    known = np.isfinite(found).any(axis=0)
    low[known], high[known] = np.nanmin(found[:, known], axis=0), np.nanmax(found[:, known], axis=0)
    return low, high
