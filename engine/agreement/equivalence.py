"""The Turing test: can a judge tell what a method made from what the person shared? (VPTT, judging and agreement)

The judge sees a held-out post of the person beside a candidate and says which one the person shared; `Battles` hold its verdicts, with
the person's own post, the stranger's and each method as entrants. A method *passes* only where its fool rate is shown to lie within
.50 +- .05, by two one-sided tests (Schuirmann 1987): the 90 % interval lies within. That a difference was not found proves nothing.
Nor does a fool rate of .50 if the judge cannot surely tell a stranger's post by more than the margin: a method that is no better than a
stranger's post could then pass too, so no fool rate is interpretable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.agreement.figure import Figure, of_estimates
from engine.ratings.battles import FIRST, TIE, Battles
from engine.statistics.estimates import CONFIDENCE, Flags, Floats, Integers
from engine.statistics.shares import people_share

MARGIN = 0.05
EQUIVALENCE_CONFIDENCE = 0.90
"""An interval of this confidence within the margin is two one-sided tests at 5 % each."""


class Standing(StrEnum):
    """What can be said of a method before one judge."""

    PASSES = "passes"
    TOLD_APART = "told apart"
    PREFERRED = "preferred to the person's own"
    UNDECIDED = "undecided"
    NOT_INTERPRETABLE = "not interpretable"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How often a judge prefers the person's own post to a stranger's; it `discerns` if the whole interval lies above .5 + `margin`."""

    share: Figure
    incomplete: int
    margin: float

    @property
    def discerns(self) -> bool:
        """Whether a stranger's post itself could not pass; False also where there is no interval."""
        return self.share.low > 0.5 + self.margin


@dataclass(frozen=True, slots=True)
class Fooling:
    """One method before one judge.

    `rate` is the share of pairs in which the judge took the method's output for the person's, a tie counting half; its `n` counts pairs.
    `narrow_low` and `narrow_high` bound the 90 % interval of the equivalence test. `incomplete` pairs lack a verdict in one of two orders
    and are left out, since a judge that prefers a side would tilt them.
    """

    method: str
    rate: Figure
    narrow_low: float
    narrow_high: float
    incomplete: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class TuringTest:
    """All methods before one judge; every standing is NOT_INTERPRETABLE unless the judge discerns."""

    judge: str
    margin: float
    sensitivity: Sensitivity
    methods: tuple[Fooling, ...]


def turing_test(battles: Battles, judge: int, *, own: str, stranger: str, margin: float = MARGIN) -> TuringTest:
    """The Turing test of every entrant but `own` and `stranger` that the judge compared with `own`.

    Args:
        battles: one row a verdict; FIRST means that the judge took the post shown first for the person's.
        judge: index among `battles.judges`.
        own: the entrant that stands for held-out posts.
        stranger: the entrant that stands for a stranger's posts.
        margin: of equivalence about .5, in (0, .5).

    Raises ValueError for an unknown entrant or a margin out of range.
    """
    if not 0 < margin < 0.5:
        raise ValueError(f"a margin of {margin} is not between 0 and .5")
    if missing := {own, stranger} - set(battles.entrants):
        raise ValueError(f"no entrant {', '.join(sorted(missing))}")
    rows = battles.of_judge(judge)
    own_index, stranger_index = battles.entrants.index(own), battles.entrants.index(stranger)
    cluster, chosen, incomplete = _preferred(rows, own_index, stranger_index)
    sensitivity = Sensitivity(of_estimates(people_share(cluster, chosen)), incomplete, margin)
    met = set(np.unique(np.concatenate([rows.first[rows.second == own_index], rows.second[rows.first == own_index]])))
    methods = (_fooling(rows, method, own_index, sensitivity, margin) for method in sorted(met - {stranger_index}))
    return TuringTest(battles.judges[judge], margin, sensitivity, tuple(methods))


def _fooling(rows: Battles, method: int, own: int, sensitivity: Sensitivity, margin: float) -> Fooling:
    cluster, fooled, incomplete = _preferred(rows, method, own)
    rate, narrow = (of_estimates(people_share(cluster, fooled, each)) for each in (CONFIDENCE, EQUIVALENCE_CONFIDENCE))
    standing = _standing(rate, narrow, margin) if sensitivity.discerns else Standing.NOT_INTERPRETABLE
    return Fooling(rows.entrants[method], rate, narrow.low, narrow.high, incomplete, standing)


def _standing(rate: Figure, narrow: Figure, margin: float) -> Standing:
    if 0.5 - margin < narrow.low and narrow.high < 0.5 + margin:
        return Standing.PASSES
    if rate.high < 0.5:
        return Standing.TOLD_APART
    return Standing.PREFERRED if rate.low > 0.5 else Standing.UNDECIDED


def _preferred(rows: Battles, entrant: int, against: int) -> tuple[Integers, Floats, int]:
    """Each pair's cluster and the mean preference for `entrant` over its orders, a tie one half; and how many pairs are incomplete."""
    met = ((rows.first == entrant) & (rows.second == against)) | ((rows.first == against) & (rows.second == entrant))
    chosen = rows.of(met)
    preferred = np.where(chosen.result == TIE, 0.5, (chosen.result == FIRST) == (chosen.first == entrant))
    single = chosen.pair < 0
    pairs, row, place, count = np.unique(chosen.pair[~single], return_index=True, return_inverse=True, return_counts=True)
    whole: Flags = count == 2
    mean = np.bincount(place, weights=preferred[~single], minlength=len(pairs)) / np.maximum(count, 1)
    cluster = np.concatenate([chosen.cluster[single], chosen.cluster[~single][row][whole]])
    return cluster, np.concatenate([preferred[single], mean[whole]]), int((~whole).sum())
