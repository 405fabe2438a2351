"""PIPBench's released "Elo": a Bradley-Terry fit in which every judge's verdict counts separately and a doubtful one is a tie.

Its interval comes from the information matrix, as if verdicts were independent; it is kept for parity and never used for a claim
(METRICS, ratings).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from engine.ratings.battles import TIE
from engine.ratings.cautions import Caution
from engine.ratings.counts import Counts
from engine.ratings.fitting import Fitted, fit
from engine.ratings.scale import MIDDLE, POINTS
from engine.statistics.estimates import CONFIDENCE, Floats, Integers

METHOD = "pipbench-elo/bradley-terry/ties=half-wins/tie-if-confidence<=.7/judges=pooled/mean=1500/interval=information/v1"
DOUBTFUL = 0.7


@dataclass(frozen=True, slots=True)
class PipbenchElo:
    """(entrants,) rating, mean 1500, and half the width of its 95 % interval; NaN for an entrant without verdicts, and the half where
    a ridge holds the rating.
    """

    rating: Floats
    half: Floats
    cautions: tuple[Caution, ...]


def with_doubtful_ties(result: Integers, confidence: Floats, doubtful: float = DOUBTFUL) -> Integers:
    """(rows,) results in which a verdict of confidence <= .7 is a tie; NaN confidence leaves the verdict as it is."""
    return np.where(confidence <= doubtful, TIE, result).astype(np.int64)


def pipbench_elo(counts: Counts) -> PipbenchElo:
    """The fit on counts of results that `with_doubtful_ties` has been applied to."""
    compared = counts.compared()
    place = [counts.entrants.index(name) for name in compared.entrants]
    rating, half = np.full(len(counts.entrants), np.nan), np.full(len(counts.entrants), np.nan)
    if not place:
        return PipbenchElo(rating, half, ())
    fitted = fit(compared, position=False, ties=False)
    rating[place] = MIDDLE + POINTS * fitted.beta
    if not fitted.ridge:
        half[place] = ndtri((1 + CONFIDENCE) / 2) * POINTS * independent_errors(fitted)
    return PipbenchElo(rating, half, fitted.cautions)


def independent_errors(fitted: Fitted) -> Floats:
    """(P,) standard errors from the information matrix, as if all verdicts were independent; strengths sum to 0."""
    information = fitted.model.derivatives(fitted.totals, fitted.beta[None])[1][0]
    covariance, m = np.linalg.inv(information), fitted.model.entrants
    # The common level of the strengths has a curvature that no data gave it; its variance is taken out again.
    covariance[:m, :m] -= covariance[:m, :m].sum() / m**2
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0.0)))
