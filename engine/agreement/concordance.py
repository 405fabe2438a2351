"""Kendall's coefficient of concordance W, a case at a time: how far the annotators of a case rank its systems alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.agreement.figure import Figure, of_estimates
from engine.agreement.ranks import midranks
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Flags, Floats, Integers


@dataclass(frozen=True, slots=True)
class Concordance:
    """Mean W over cases with its interval, and its standard deviation between cases, which METRICS asks for beside it.

    `mean.n` counts cases. `incomplete` cases are left out: somebody rated a part of their systems, or fewer than two people rated them;
    Krippendorff's alpha takes those too. In `tied` cases nobody saw any difference: W is undefined.
    """

    mean: Figure
    deviation: float
    incomplete: int
    tied: int


def kendall_w(ratings: Floats) -> Floats:
    """W of each block of `ratings` (..., annotators, systems), with midranks and the correction for ties; NaN where all tie.

    With midranks the corrected formula (Kendall 1948, chapter 6) is the squared deviation of the rank sums over its greatest value for
    these ties: annotators x the squared deviation of all ranks.
    """
    ranks = midranks(ratings)
    centred = ranks - (ratings.shape[-1] + 1) / 2
    greatest = ratings.shape[-2] * (centred**2).sum(axis=(-2, -1))
    found = np.full(np.shape(greatest), np.nan)
    np.divide((centred.sum(axis=-2) ** 2).sum(axis=-1), greatest, out=found, where=greatest > 0)
    return found


def concordance(bootstrap: ClusterBootstrap, cluster: Integers, ratings: Floats) -> Concordance:
    """W of each case of `ratings` (cases, annotators, systems), NaN where an annotator did not rate; `cluster` (cases,) of people.

    Annotators may differ from case to case.
    """
    rated = np.isfinite(ratings)
    whole: Flags = np.asarray(rated.all(axis=2))
    annotators = whole.sum(axis=1)
    complete = ~(whole ^ rated.any(axis=2)).any(axis=1) & (annotators >= 2)
    found = np.full(len(ratings), np.nan)
    for count in np.unique(annotators[complete]):
        cases = np.flatnonzero(complete & (annotators == count))
        present = np.argsort(~whole[cases], axis=1, kind="stable")[:, :count]
        found[cases] = kendall_w(np.take_along_axis(ratings[cases], present[:, :, None], axis=1))
    defined: Flags = np.isfinite(found)
    deviation = float(np.std(found[defined], ddof=1)) if defined.sum() > 1 else float("nan")
    mean = of_estimates(bootstrap.mean(cluster, found[:, None]))
    return Concordance(mean, deviation, int((~complete).sum()), int((complete & ~defined).sum()))
