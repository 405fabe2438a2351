"""Intervals of fitted parameters from resampled people, in the way of `engine.statistics`: a sandwich standard error, and pivots.

From 30 clusters on the resamples' deviations, scaled to the sandwich error and widened to Student's t; below that bootstrap-t, with a
sandwich error in each resample; below 5 none.
"""

from __future__ import annotations

import numpy as np

from engine.ratings.fitting import Fitted, Rounds
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import FEW_CLUSTERS, FEWEST_CLUSTERS, Flags, Floats, Integers, Resampled, student_widening

_ENTRIES_AT_ONCE = 4_000_000


def covariance(fitted: Fitted) -> Floats:
    """(P, P) sandwich covariance of the estimate, clustered by people (Huber 1967; Liang and Zeger 1986), with G / (G - 1)."""
    totals, beta = fitted.totals, fitted.beta[None]
    scores = fitted.per_cluster @ fitted.model.scores(totals, beta)[0]
    clusters = int((np.abs(fitted.per_cluster).sum(axis=1) > 0).sum())
    bread = _bread(fitted, totals, beta)[0]
    meat = scores.T @ scores * (clusters / max(1, clusters - 1))
    return np.asarray(bread @ meat @ bread)


def resampled(
    fitted: Fitted,
    rounds: Rounds,
    bootstrap: ClusterBootstrap,
    targets: Floats,
    defined: Flags,
    n: Integers,
    clusters: Integers,
    *,
    few_under: int = FEW_CLUSTERS,
) -> Resampled:
    """Linear functions of the parameters with pivots.

    Args:
        fitted: the estimate.
        rounds: the same in each resample.
        bootstrap: the resamples.
        targets: (targets, P) one function a row.
        defined: (rounds, targets) whether the resample bounds it.
        n: (targets,) verdicts behind each.
        clusters: (targets,) clusters behind each.
        few_under: with fewer clusters than this a target gets bootstrap-t.
    """
    mean = targets @ fitted.beta
    error = np.sqrt(np.maximum(np.einsum("tp,pq,tq->t", targets, covariance(fitted), targets), 0.0))
    shift = np.where(defined, rounds.beta @ targets.T - mean, np.nan)
    pivots = np.full(shift.shape, np.nan)
    enough = (clusters >= FEWEST_CLUSTERS) & (np.isfinite(shift).sum(axis=0) > 1)
    few = enough & (clusters < few_under)
    many = np.flatnonzero(enough & ~few)
    if len(many):
        spread = np.nanstd(shift[:, many], axis=0)
        widening = np.array([student_widening(int(count) - 1) for count in clusters[many]])
        pivots[:, many] = -shift[:, many] / np.where(spread > 0, spread, np.nan) * widening
    if few.any():
        errors = _errors(fitted, rounds, bootstrap, targets[few])
        errors = np.where(errors > 1e-6 * np.maximum(error[few], 1e-300), errors, np.nan)
        pivots[:, few] = shift[:, few] / errors
    return Resampled(mean, error, pivots, n, clusters, np.zeros(len(mean), dtype=np.int64))


def _bread(fitted: Fitted, statistics: Floats, beta: Floats) -> Floats:
    information = fitted.model.derivatives(statistics, beta)[1]
    at = np.arange(fitted.model.parameters)
    information[:, at, at] += fitted.ridge
    return np.asarray(np.linalg.inv(information), dtype=np.float64)


def _errors(fitted: Fitted, rounds: Rounds, bootstrap: ClusterBootstrap, targets: Floats) -> Floats:
    """(rounds, targets) sandwich standard error in each resample."""
    of_cluster = fitted.per_cluster.toarray()
    present = np.flatnonzero(np.abs(of_cluster).sum(axis=1) > 0)
    of_cluster = of_cluster[present]
    factor = len(present) / (len(present) - 1)
    errors = np.full((len(rounds.beta), len(targets)), np.nan)
    found = np.flatnonzero(rounds.found)
    step = max(1, _ENTRIES_AT_ONCE // (of_cluster.shape[1] * fitted.model.parameters))
    for start in range(0, len(found), step):
        some = found[start : start + step]
        statistics, beta = rounds.statistics[some], rounds.beta[some]
        influence = of_cluster @ fitted.model.scores(statistics, beta) @ (_bread(fitted, statistics, beta) @ targets.T)
        weights = bootstrap.weights[np.ix_(some, present)].astype(np.float64)
        errors[some] = np.sqrt(factor * np.einsum("rc,rct->rt", weights, influence**2))
    return errors
