"""Each judge's position and tie terms, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.ratings.fitting import Fitted, Rounds
from engine.ratings.intervals import resampled
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Estimates, Flags, Integers


@dataclass(frozen=True, slots=True)
class JudgeTerms:
    """(judges,) `position` in log odds, above 0 where the side shown first is favoured, and `tie`, nu; empty if the model has none.

    NaN for a judge that never preferred one of the sides; nu is 0, without interval, for one that never tied.
    """

    position: Estimates
    tie: Estimates


def judge_terms(fitted: Fitted, rounds: Rounds, bootstrap: ClusterBootstrap, n: Integers, clusters: Integers) -> JudgeTerms:
    """The terms of each judge; `n` and `clusters` (judges,) are the verdicts and clusters behind them."""
    model = fitted.model
    both = np.asarray(model.sides(fitted.totals)[0].all(axis=1))
    both_drawn = np.asarray(model.sides(rounds.statistics).all(axis=2))

    def term(start: int, told: Flags, drawn: Flags) -> Estimates:
        targets = np.eye(model.judges, model.parameters, k=start)
        return resampled(fitted, rounds, bootstrap, targets, rounds.found[:, None] & told & drawn, n, clusters).estimates()

    position = tie = no_estimates(0)
    if model.position:
        found = term(model.entrants, both, both_drawn)
        position = replace(found, mean=np.where(both, found.mean, np.nan))
    if model.ties:
        ties = model.ties_seen(fitted.totals)[0] > 0
        found = term(model.linear, both & ties, model.ties_seen(rounds.statistics) > 0)
        nu = np.where(ties, np.exp(found.mean), 0.0)
        tie = replace(found, mean=np.where(both, nu, np.nan), low=np.exp(found.low), high=np.exp(found.high))
    return JudgeTerms(position, tie)


def no_estimates(size: int) -> Estimates:
    """So many estimates that do not exist."""
    missing, none = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
    return Estimates(missing, missing.copy(), missing.copy(), none, none.copy(), none.copy())
