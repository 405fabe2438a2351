"""Who agrees with whom: judges with each other, with the run's own score, and with people, where people rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.agreement.accuracy import accuracy
from engine.agreement.alpha import Level, krippendorff_alpha
from engine.agreement.calibration import Thresholds, calibrate
from engine.agreement.concordance import concordance
from engine.agreement.kappa import Weights, cohen_kappa
from engine.agreement.levels import spearman_levels
from engine.agreement.preferences import Preferences, preferences
from engine.agreement.top_two import top_two
from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.report.cases import Grid
from engine.report.judging.data import Humans
from engine.report.judging.pools import Verdicts, codes, labels
from engine.report.judging.rated import HUMAN, METRIC, Graded
from engine.report.judging.rows import Estimate, Pool, estimate_from
from engine.report.rows import rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Integers

UNCALIBRATED = "no human ratings"


@dataclass(frozen=True, slots=True)
class Ordered:
    """Spearman's correlation of two scores at three levels; `constant` complete cases have none, since a score ties throughout."""

    one: str
    other: str
    case: Estimate
    within: Estimate
    system: Estimate
    constant: int


@dataclass(frozen=True, slots=True)
class Together:
    """All judges of a pool: Krippendorff's alpha (interval) of their ratings, and Kendall's W a case with its standard deviation."""

    judges: tuple[str, ...]
    alpha: Estimate
    w: Estimate
    w_deviation: float | None
    incomplete: int
    tied: int


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two judges' preferences on the same pairs, three answers; an inconsistent pair is a tie."""

    one: str
    other: str
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Top:
    """Top-2 of a score against people under three definitions, and what a blind score would reach."""

    score: str
    hit: Estimate
    set: Estimate
    overlap: Estimate
    chance: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Whether a judge's scores can be read on people's scale; `reason` why not, "" if so."""

    judge: str
    calibrated: bool
    reason: str
    mae: Estimate | None
    constant_mae: Estimate | None
    spearman: Estimate | None


@dataclass(frozen=True, slots=True)
class Right:
    """How often a judge prefers what most people prefer, by rule; `undecided` of the `items` have no majority."""

    judge: str
    rules: tuple[tuple[str, Estimate], ...]
    items: int
    undecided: int
    judge_ties: int
    human_ties: int


@dataclass(frozen=True, slots=True)
class Trust:
    """Everything about agreement in one pool. `human_raters` counts people who rated or compared."""

    orders: tuple[Ordered, ...]
    together: tuple[Together, ...]
    kappas: tuple[Kappa, ...]
    tops: tuple[Top, ...]
    calibrations: tuple[Calibrated, ...]
    accuracies: tuple[Right, ...]
    human_raters: int


def trust_of(
    pool: Pool,
    judges: Sequence[str],
    found: Graded | None,
    grid: Grid | None,
    verdicts: Verdicts | None,
    bootstrap: ClusterBootstrap,
    pairs: pa.Table,
    humans: Humans | None,
    seed: int,
) -> Trust:
    """Agreement in a pool: of its ratings, a `grid` of `found`, and of its `verdicts` on `pairs`; either may be lacking."""
    orders = tuple(_orders(found, grid)) if found and grid else ()
    together = tuple(_together(found, grid)) if found and grid else ()
    tops = tuple(_tops(grid)) if grid else ()
    calibrations = tuple(_calibrations(found, grid, judges, seed))
    given = preferences(verdicts.battles, verdicts.sample) if verdicts and len(verdicts.battles) else None
    kappas = tuple(_kappas(given, bootstrap)) if given else ()
    accuracies = tuple(_accuracies(pool, verdicts, pairs, humans)) if verdicts and humans else ()
    return Trust(orders, together, kappas, tops, calibrations, accuracies, _raters(humans))


def _orders(found: Graded, grid: Grid) -> Iterator[Ordered]:
    for one, two in combinations(range(len(grid.metrics)), 2):
        levels = spearman_levels(found.bootstrap.people, grid.cluster, grid.values[:, :, one], grid.values[:, :, two])
        if levels.case.n:
            case, within, system = (estimate_from(each) for each in (levels.case, levels.within, levels.system))
            yield Ordered(grid.metrics[one], grid.metrics[two], case, within, system, levels.constant)


def _together(found: Graded, grid: Grid) -> Iterator[Together]:
    columns = _judges(grid)
    if len(columns) < 2:
        return
    ratings = grid.values[:, :, columns]
    people, methods = found.bootstrap.people, ratings.shape[1]
    units = ratings.reshape(-1, len(columns))
    alpha = krippendorff_alpha(people, np.repeat(grid.cluster, methods), units, Level.INTERVAL)
    w = concordance(people, grid.cluster, ratings.transpose(0, 2, 1))
    names = tuple(grid.metrics[column] for column in columns)
    yield Together(names, estimate_from(alpha), estimate_from(w.mean), rounded(w.deviation), w.incomplete, w.tied)


def _kappas(given: Preferences, bootstrap: ClusterBootstrap) -> Iterator[Kappa]:
    for one, two in combinations(range(len(given.judges)), 2):
        kappa = cohen_kappa(bootstrap, given.cluster, given.verdict(one), given.verdict(two), Weights.PLAIN)
        if kappa.n:
            yield Kappa(given.judges[one], given.judges[two], estimate_from(kappa))


def _tops(grid: Grid) -> Iterator[Top]:
    if HUMAN not in grid.metrics or len(grid.methods) < 2:
        return
    humans = grid.values[:, :, grid.metrics.index(HUMAN)]
    for k, name in enumerate(grid.metrics):
        if name != HUMAN:
            found = top_two(grid.cluster, humans, grid.values[:, :, k])
            hit, both, overlap = (estimate_from(each) for each in (found.hit, found.set, found.overlap))
            yield Top(name, hit, both, overlap, found.chance)


def _calibrations(found: Graded | None, grid: Grid | None, judges: Sequence[str], seed: int) -> Iterator[Calibrated]:
    for judge in judges:
        if found is None or grid is None or HUMAN not in grid.metrics or judge not in grid.metrics:
            yield Calibrated(judge, False, UNCALIBRATED, None, None, None)
            continue
        scores, ratings = (grid.values[:, :, grid.metrics.index(name)].ravel() for name in (judge, HUMAN))
        cluster = np.repeat(grid.cluster, len(grid.methods))
        told = calibrate(found.bootstrap.people, cluster, scores, ratings, Thresholds(), seed=seed)
        figures = (estimate_from(each) for each in (told.mae, told.constant_mae, told.spearman))
        yield Calibrated(judge, told.calibrated, told.reason, *figures)


def _accuracies(pool: Pool, verdicts: Verdicts, pairs: pa.Table, humans: Humans) -> Iterator[Right]:
    """Judges against the majority of people who compared the same outputs."""
    rows = _of_pool(humans.pairs, pool)
    if not len(rows):
        return
    annotators = labels(rows["annotator"])
    battles = verdicts.battles
    units = {(row["subject"], row["query"]): row["unit"] for row in pairs.group_by(["subject", "query", "unit"]).aggregate([]).to_pylist()}
    cluster_of = dict(zip(verdicts.sample.tolist(), battles.cluster.tolist(), strict=True))
    place = {unit: index for index, unit in enumerate(verdicts.units)}
    keys = zip(rows["subject"].to_pylist(), rows["query"].to_pylist(), strict=True)
    sample = np.array([place.get(units.get(key, ""), -1) for key in keys], dtype=np.int64)
    first, second = (codes(rows[name], battles.entrants) for name in ("first", "second"))
    known = (sample >= 0) & (first >= 0) & (second >= 0) & (first != second)
    if not known.any():
        return
    rows, sample, first, second = rows.filter(pa.array(known)), sample[known], first[known], second[known]
    result = np.choose(codes(rows["preferred"], ("first", "tie", "second")), [FIRST, TIE, SECOND]).astype(np.int64)
    cluster = np.array([cluster_of[each] for each in sample.tolist()], dtype=np.int64)
    both = Battles(
        battles.entrants,
        (*battles.judges, *annotators),
        battles.clusters,
        _after(battles.cluster, cluster),
        _after(battles.judge, len(battles.judges) + codes(rows["annotator"], annotators)),
        _after(battles.first, first),
        _after(battles.second, second),
        _after(battles.result, result),
        _after(battles.pair, np.full(len(sample), -1)),
    )
    given = preferences(both, _after(verdicts.sample, sample))
    people = list(range(len(battles.judges), len(both.judges)))
    for judge, name in enumerate(battles.judges):
        found = accuracy(given, judge, people)
        rules = tuple((rule, estimate_from(value)) for rule, value in found.by_rule.items())
        yield Right(name, rules, found.items, found.undecided, found.judge_ties, found.human_ties)


def _of_pool(table: pa.Table, pool: Pool) -> pa.Table:
    same = pc.equal(pc.fill_null(table["renderer"], ""), pool.renderer)
    for name in ("writer", "backbone", "budget"):
        same = pc.and_(same, pc.equal(table[name], getattr(pool, name)))
    return table.filter(same)


def _raters(humans: Humans | None) -> int:
    return len(labels(humans.ratings["annotator"], humans.pairs["annotator"])) if humans else 0


def _judges(grid: Grid) -> list[int]:
    return [k for k, name in enumerate(grid.metrics) if name not in (METRIC, HUMAN)]


def _after(one: Integers, two: Integers) -> Integers:
    return np.concatenate([one, two])
