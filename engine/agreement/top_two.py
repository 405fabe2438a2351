"""Top-2 agreement of a metric with humans under its three definitions, which differ enough to need three names.

hit      the metric's best system is among the humans' two best
set      the metric's two best are the humans' two best
overlap  the share of the metric's two best that are among the humans'

A tie at the cut is broken at random, and the expected value counted: a metric that ties all four systems hits in half of the cases.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from engine.agreement.figure import Figure, of_estimates
from engine.agreement.ranks import DECIMALS
from engine.statistics.estimates import Floats, Integers
from engine.statistics.shares import people_share


@dataclass(frozen=True, slots=True)
class TopTwo:
    """Shares of cases with their intervals; `n` counts cases without a missing score. `chance` is what a blind metric would reach.

    With two systems there is nothing to find out: every metric hits.
    """

    hit: Figure
    set: Figure
    overlap: Figure
    chance: tuple[float, float, float]


def top_two(cluster: Integers, humans: Floats, metric: Floats) -> TopTwo:
    """Top-2 of the `metric` against the `humans` (cases, systems), higher is better; `cluster` (cases,) of people.

    Raises ValueError with fewer than two systems.
    """
    systems = humans.shape[1]
    if systems < 2:
        raise ValueError("Top-2 needs two systems")
    complete = np.isfinite(humans).all(axis=1) & np.isfinite(metric).all(axis=1)
    cluster, humans, metric = cluster[complete], np.round(humans[complete], DECIMALS), np.round(metric[complete], DECIMALS)
    by_humans, by_metric = _chances_of_pairs(humans), _chances_of_pairs(metric)
    members = np.zeros((len(_pairs(systems)), systems))
    for row, pair in enumerate(_pairs(systems)):
        members[row, list(pair)] = 1.0
    among_humans, among_metric = by_humans @ members, by_metric @ members
    best = metric == metric.max(axis=1, keepdims=True, initial=-np.inf)
    hit = (best * among_humans).sum(axis=1) / np.maximum(best.sum(axis=1), 1)
    same = (by_humans * by_metric).sum(axis=1)
    overlap = (among_humans * among_metric).sum(axis=1) / 2
    chance = (2 / systems, 1 / len(members), 2 / systems)
    shares = [of_estimates(people_share(cluster, found)) for found in (hit, same, overlap)]
    return TopTwo(shares[0], shares[1], shares[2], chance)


def _pairs(systems: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(systems), 2))


def _chances_of_pairs(scores: Floats) -> Floats:
    """(cases, pairs of systems) the chance that each pair is the top two, ties broken at random."""
    ordered = np.sort(scores, axis=1)
    cut = ordered[:, -2][:, None]
    pairs = np.array(_pairs(scores.shape[1]))
    low, high = np.minimum(scores[:, pairs[:, 0]], scores[:, pairs[:, 1]]), np.maximum(scores[:, pairs[:, 0]], scores[:, pairs[:, 1]])
    # With one system above the cut it must be in the pair; with none, both of the pair stand at the cut.
    possible = (low == cut) & (high == ordered[:, -1][:, None])
    return np.asarray(possible / np.maximum(possible.sum(axis=1, keepdims=True), 1))
