"""Ratings of entrants by one fit: with intervals, ranks, paired differences, position and tie terms, and what to beware of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.ratings.cautions import Caution, Kind
from engine.ratings.counts import RESULTS, Counts
from engine.ratings.fitting import Fitted, Rounds, fit, fit_rounds
from engine.ratings.intervals import resampled
from engine.ratings.judge_terms import judge_terms, no_estimates
from engine.ratings.ranks import Ranks, ranks_from_differences
from engine.ratings.scale import MIDDLE, POINTS
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import CONFIDENCE, FEW_CLUSTERS, Estimates, Floats, Integers, Resampled
from engine.statistics.simultaneous import Family, family_of

HEADLINE = "bradley-terry/ties=davidson-per-judge/position=per-judge/sum=0/1500+400log10/v1"
PLAIN = "bradley-terry/ties=half-wins/position=none/judges=pooled/sum=0/1500+400log10/v1"


@dataclass(frozen=True, slots=True)
class Differences:
    """Rating of `first` less that of `second` (pairs,), indices of entrants, in points.

    `estimates` holds each with its own interval, `family` with simultaneous ones and Holm's p.
    """

    first: Integers
    second: Integers
    estimates: Estimates
    family: Family


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Ratings (entrants,) of one method from the verdicts of `judges`; NaN for an entrant without verdicts.

    `method` is the id that names every choice. `rating` carries the verdicts and clusters behind each entrant. `position` (judges,) is
    each judge's term in log odds, above 0 where the side shown first is favoured, and `tie` its nu; empty without such terms. `lost` is the
    share of resamples without a finite rating. `ridge` is 0 where the estimate is the plain maximum.
    """

    method: str
    entrants: tuple[str, ...]
    judges: tuple[str, ...]
    rating: Estimates
    ranks: Ranks
    differences: Differences
    position: Estimates
    tie: Estimates
    lost: float
    ridge: float
    cautions: tuple[Caution, ...]


def rate(counts: Counts, bootstrap: ClusterBootstrap, *, position: bool = True, ties: bool = True) -> RatingTable:
    """Ratings from counted verdicts; without `position` and `ties` the plain Bradley-Terry fit with ties as half wins."""
    method = HEADLINE if position and ties else PLAIN
    if position != ties:
        method = f"bradley-terry/ties={'davidson-per-judge' if ties else 'half-wins'}/position={'per-judge' if position else 'none'}/v1"
    compared = counts.compared()
    place = np.array([counts.entrants.index(name) for name in compared.entrants], dtype=np.int64)
    cautions = []
    if missing := tuple(name for name in counts.entrants if name not in compared.entrants):
        cautions.append(Caution(Kind.NOT_COMPARED, missing))
    if not len(place):
        return _empty(method, counts, tuple(cautions))
    fitted = fit(compared, position=position, ties=ties)
    rounds = fit_rounds(fitted, bootstrap)
    cautions += fitted.cautions
    n, clusters = _behind(compared)
    lost = 1.0 - float(rounds.connected.mean()) if len(rounds.beta) else 0.0
    people = int((np.abs(compared.per_cluster).sum(axis=1) > 0).sum())
    if people < FEW_CLUSTERS:
        cautions.append(Caution(Kind.FEW_CLUSTERS, number=people))
    if lost > 0:
        cautions.append(Caution(Kind.WITHHELD if lost > 1 - CONFIDENCE else Kind.RESAMPLES_LOST, share=lost))
    m = len(place)
    found = _strengths(fitted, rounds, bootstrap, n[:m], clusters[:m])
    rating = found.estimates()
    differences, family, pairs = _pairs(fitted, rounds, bootstrap, n[:m], clusters[:m])
    ranks = ranks_from_differences(rating.mean, pairs, family)
    terms = judge_terms(fitted, rounds, bootstrap, n[m:], clusters[m:])
    wide = len(counts.entrants)
    return RatingTable(
        method,
        counts.entrants,
        counts.judges,
        _spread(rating, place, wide),
        ranks.spread(place, wide),
        Differences(place[pairs[:, 0]], place[pairs[:, 1]], differences, family),
        terms.position,
        terms.tie,
        lost,
        fitted.ridge,
        tuple(cautions),
    )


def point_ratings(counts: Counts) -> Floats:
    """(entrants,) headline ratings without intervals; NaN for an entrant without verdicts."""
    compared = counts.compared()
    rating = np.full(len(counts.entrants), np.nan)
    if compared.entrants:
        place = [counts.entrants.index(name) for name in compared.entrants]
        rating[place] = MIDDLE + POINTS * fit(compared).beta[: len(place)]
    return rating


def _strengths(fitted: Fitted, rounds: Rounds, bootstrap: ClusterBootstrap, n: Integers, clusters: Integers) -> Resampled:
    m = fitted.model.entrants
    targets = np.zeros((m, fitted.model.parameters))
    targets[:, :m] = POINTS * np.eye(m)
    defined = np.repeat(rounds.connected[:, None], m, axis=1)
    found = resampled(fitted, rounds, bootstrap, targets, defined, n, clusters)
    return Resampled(found.mean + MIDDLE, found.error, found.pivots, found.n, found.clusters, found.families)


def _pairs(
    fitted: Fitted, rounds: Rounds, bootstrap: ClusterBootstrap, n: Integers, clusters: Integers
) -> tuple[Estimates, Family, Integers]:
    """Differences of all pairs of entrants; a pair in one component has an interval even where the whole has none."""
    m = fitted.model.entrants
    pairs = np.array(list(combinations(range(m), 2)), dtype=np.int64).reshape(-1, 2)
    one, two = pairs[:, 0], pairs[:, 1]
    targets = np.zeros((len(pairs), fitted.model.parameters))
    at = np.arange(len(pairs))
    targets[at, one], targets[at, two] = POINTS, -POINTS
    defined = rounds.found[:, None] & rounds.comparable[:, one, two]
    fewest = np.minimum(clusters[one], clusters[two])
    found = resampled(fitted, rounds, bootstrap, targets, defined, np.minimum(n[one], n[two]), fewest)
    return found.estimates(), family_of(found), pairs


def _behind(counts: Counts) -> tuple[Integers, Integers]:
    """Verdicts and clusters behind each entrant, then each judge."""
    entrants, judges = len(counts.entrants), len(counts.judges)
    has = np.zeros((len(counts.judge) * RESULTS, entrants + judges))
    at = np.arange(len(counts.judge) * RESULTS)
    for column in (counts.first, counts.second, entrants + counts.judge):
        has[at, np.repeat(column, RESULTS)] = 1.0
    of_cluster = counts.per_cluster @ has
    return of_cluster.sum(axis=0).astype(np.int64), (of_cluster > 0).sum(axis=0).astype(np.int64)


def _spread(found: Estimates, place: Integers, wide: int) -> Estimates:
    """Estimates of the compared entrants at their places among all."""

    def floats(values: Floats) -> Floats:
        spread = np.full(wide, np.nan)
        spread[place] = values
        return spread

    def integers(values: Integers) -> Integers:
        spread = np.zeros(wide, dtype=np.int64)
        spread[place] = values
        return spread

    counts = (integers(found.n), integers(found.clusters), integers(found.families))
    return Estimates(floats(found.mean), floats(found.low), floats(found.high), *counts)


def _empty(method: str, counts: Counts, cautions: tuple[Caution, ...]) -> RatingTable:
    wide, judges, none, no_pairs = len(counts.entrants), len(counts.judges), np.zeros(0), np.zeros(0, dtype=np.int64)
    differences = Differences(no_pairs, no_pairs, no_estimates(0), Family(none, none, none, none))
    ranks = Ranks(*(np.full(wide, np.nan) for _ in range(3)))
    terms = no_estimates(judges), no_estimates(judges)
    return RatingTable(method, counts.entrants, counts.judges, no_estimates(wide), ranks, differences, *terms, 0.0, 0.0, cautions)
