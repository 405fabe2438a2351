"""Cohen's kappa of two judges: agreement beyond what their own habits would give by chance (Cohen 1960; weighted, Cohen 1968)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from engine.agreement.figure import Figure, nothing, of_draws
from engine.agreement.ranks import DECIMALS
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers, ratio

MOST_ANSWERS = 25
"""Distinct answers; kappa counts every two of them in every resample."""


class Weights(StrEnum):
    """What a disagreement costs: every one the same, or the square of the distance between the answers."""

    PLAIN = "plain"
    QUADRATIC = "quadratic"


def cohen_kappa(bootstrap: ClusterBootstrap, cluster: Integers, first: Floats, second: Floats, weights: Weights) -> Figure:
    """Kappa of two judges' answers (units,), NaN where one gave none; `cluster` (units,) of people.

    `n` counts units that both answered. NaN where both gave one and the same answer throughout. Raises ValueError for more than 25
    distinct answers.
    """
    both = np.isfinite(first) & np.isfinite(second)
    if not both.any():
        return nothing()
    cluster, answers = cluster[both], np.round(np.stack([first[both], second[both]]), DECIMALS)
    values, place = np.unique(answers, return_inverse=True)
    levels = len(values)
    if levels > MOST_ANSWERS:
        raise ValueError(f"kappa takes at most {MOST_ANSWERS} distinct answers, not {levels}")
    place = place.reshape(answers.shape)
    cost = (values[:, None] - values[None, :]) ** 2 if weights is Weights.QUADRATIC else 1 - np.eye(levels)
    cells = np.eye(levels * levels)[place[0] * levels + place[1]]

    def kappa(sums: Floats) -> Floats:
        table = sums.reshape(-1, levels, levels)
        chance = np.einsum("ri,rj,ij->r", table.sum(axis=2), table.sum(axis=1), cost)
        observed = np.einsum("rij,ij->r", table, cost) * sums.sum(axis=1)
        return np.asarray(1 - ratio(observed, chance))

    value = float(kappa(cells.sum(axis=0, keepdims=True))[0])
    draws = kappa(bootstrap.totals(bootstrap.per_cluster(cluster, cells)))
    return of_draws(value, draws, len(cells), len(np.unique(cluster)))
