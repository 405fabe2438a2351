"""Spearman's correlation between two scores of the same systems at three levels, which answer three questions.

case         over all cases and systems at once: does a higher score mean a higher score? Easy and hard cases count
within case  the mean over cases of the correlation across their systems: is the best output of a case told?
system       between the means of the systems: do both order the systems alike?
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.agreement.figure import Figure, nothing, of_draws, of_estimates
from engine.agreement.ranks import resampled_spearman, spearman
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers


@dataclass(frozen=True, slots=True)
class Levels:
    """Spearman's correlation at each level.

    `case.n` counts pairs of scores; `within.n` cases; `system.n` cases, those in which no system lacks a score. `constant` counts the
    complete cases that have no correlation within, because one of the scores ties throughout: they are left out of `within`.
    """

    case: Figure
    within: Figure
    system: Figure
    constant: int


def spearman_levels(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats) -> Levels:
    """Spearman's correlation of two scores (cases, systems), NaN where one is missing, with intervals over people.

    `cluster` (cases,) indexes clusters of people. Within cases and by system there is nothing with fewer than two systems.
    """
    complete = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    case = _by_case(bootstrap, cluster, first, second)
    if first.shape[1] < 2 or not complete.any():
        return Levels(case, nothing(), nothing(), 0)
    cluster, first, second = cluster[complete], first[complete], second[complete]
    correlation = spearman(first, second)
    within = of_estimates(bootstrap.mean(cluster, correlation[:, None]))
    return Levels(case, within, _by_system(bootstrap, cluster, first, second), int(np.isnan(correlation).sum()))


def _by_case(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats) -> Figure:
    both = np.isfinite(first) & np.isfinite(second)
    if not both.any():
        return nothing()
    case, _ = np.nonzero(both)
    where, one, two = cluster[case], first[both], second[both]
    return of_draws(float(spearman(one, two)), resampled_spearman(bootstrap, where, one, two), len(one), len(np.unique(where)))


def _by_system(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats) -> Figure:
    systems = first.shape[1]
    both = np.concatenate([first, second, np.ones((len(first), 1))], axis=1)
    totals = bootstrap.totals(bootstrap.per_cluster(cluster, both))
    means = totals[:, :-1] / np.where(totals[:, -1:] > 0, totals[:, -1:], np.nan)
    value = float(spearman(first.mean(axis=0), second.mean(axis=0)))
    draws = spearman(means[:, :systems], means[:, systems:])
    return of_draws(value, draws, len(first), len(np.unique(cluster)))
