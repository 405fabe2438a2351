"""A model fitted to counted verdicts and to the run's resamples of them, and whether there is a maximum at all.

Where the maximum lies at infinity, or strengths cannot be told apart, a ridge of .01 |beta|^2 / 2 holds the estimate and every resample
alike, and the resamples count as undefined (METRICS, ratings). Without ridge only those resamples are undefined that have no maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.ratings.cautions import Caution, Kind
from engine.ratings.connectivity import comparable, components, undefeated, winless
from engine.ratings.counts import Counts, resampled_sums
from engine.ratings.davidson import Davidson
from engine.ratings.newton import maximise
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Flags, Floats, Integers

RIDGE = 0.01
_LAST_STEP = 1e-4
"""Of a resample, in log odds: Newton squares the error, so some 1e-8 is left."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The estimate: `beta` (P,), held by `ridge` if that is not 0, and why.

    `bounded` is whether differences within a component of comparable entrants can be believed; `per_cluster` holds the sparse statistics
    of each cluster, `comparable` (entrants, entrants) the pairs whose difference is bounded.
    """

    model: Davidson
    per_cluster: Any
    beta: Floats
    ridge: float
    bounded: bool
    comparable: Flags
    cautions: tuple[Caution, ...]

    @property
    def totals(self) -> Floats:
        """(1, S) statistics over all clusters."""
        return np.asarray(self.per_cluster.sum(axis=0), dtype=np.float64).reshape(1, -1)


@dataclass(frozen=True, slots=True)
class Rounds:
    """The same fit in each resample: `beta` (rounds, P), NaN where there is none.

    `comparable` (rounds, entrants, entrants) tells whose difference is bounded, `connected` (rounds,) whether all are, and `found`
    (rounds,) whether the round has a fit.
    """

    beta: Floats
    comparable: Flags
    found: Flags
    statistics: Floats

    @property
    def connected(self) -> Flags:
        """(rounds,) whether every entrant's strength is bounded."""
        return np.asarray(self.found & self.comparable.all(axis=(1, 2)))


def fit(counts: Counts, *, position: bool = True, ties: bool = True) -> Fitted:
    """The maximum-likelihood estimate from verdicts on entrants that all occur."""
    model = Davidson(counts, position=position, ties=ties)
    per_cluster = model.statistics(counts.per_cluster)
    totals = np.asarray(per_cluster.sum(axis=0), dtype=np.float64).reshape(1, -1)
    graph = model.beaten_or_tied(totals)
    linked = comparable(graph)
    cautions = _graph_cautions(counts.entrants, graph[0], linked[0])
    start = np.zeros(model.parameters)
    if linked.all() and not model.identified(totals)[0]:
        cautions.append(Caution(Kind.UNIDENTIFIED))
    if not cautions:
        free = maximise(model, totals, start)
        if free.found[0]:
            return Fitted(model, per_cluster, free.beta[0], 0.0, True, linked[0], ())
        cautions.append(Caution(Kind.SEPARATED))
    bounded = not linked.all() and _bounded_within(counts, components(linked[0]), position=position, ties=ties)
    beta = maximise(model, totals, start, ridge=RIDGE).beta[0]
    return Fitted(model, per_cluster, beta, RIDGE, bounded, linked[0], tuple(cautions))


def _bounded_within(counts: Counts, component: Integers, *, position: bool, ties: bool) -> bool:
    """Whether each component of more than one entrant has a maximum of its own."""
    return all(
        not fit(counts.of_entrants(component == one), position=position, ties=ties).ridge
        for one in range(component.max() + 1)
        if (component == one).sum() > 1
    )


def fit_rounds(fitted: Fitted, bootstrap: ClusterBootstrap) -> Rounds:
    """The same fit, with the same ridge, in each resample of the run's clusters."""
    model = fitted.model
    statistics = resampled_sums(bootstrap, fitted.per_cluster)
    linked = comparable(model.beaten_or_tied(statistics))
    possible = np.full(len(statistics), fitted.bounded)
    if not fitted.ridge:
        possible &= linked.all(axis=(1, 2)) & model.identified(statistics)
        if model.position:
            present = model.sides(statistics).sum(axis=2) > 0
            possible &= (model.sides(statistics).all(axis=2) | ~present).all(axis=1)
    beta = np.full((len(statistics), model.parameters), np.nan)
    found = np.zeros(len(statistics), dtype=np.bool_)
    tried = np.flatnonzero(possible)
    maxima = maximise(model, statistics if possible.all() else statistics[tried], fitted.beta, ridge=fitted.ridge, tolerance=_LAST_STEP)
    beta[tried[maxima.found]] = maxima.beta[maxima.found]
    found[tried] = maxima.found
    return Rounds(beta, linked, found, statistics)


def _graph_cautions(entrants: tuple[str, ...], graph: Flags, linked: Flags) -> list[Caution]:
    cautions = []
    for kind, which in ((Kind.UNDEFEATED, undefeated(graph)), (Kind.WINLESS, winless(graph))):
        if which.any():
            cautions.append(Caution(kind, tuple(name for name, is_one in zip(entrants, which, strict=True) if is_one)))
    if not linked.all():
        component = components(linked)
        groups = [" + ".join(name for name, of in zip(entrants, component, strict=True) if of == one) for one in range(component.max() + 1)]
        cautions.append(Caution(Kind.DISCONNECTED, tuple(groups)))
    return cautions
