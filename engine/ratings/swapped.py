"""Pairs that one judge saw in both orders: how often the verdicts agree, and how right they are where the better entrant is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import Battles
from engine.statistics.estimates import Estimates, Flags, Integers
from engine.statistics.shares import people_share


@dataclass(frozen=True, slots=True)
class SwapPairs:
    """(pairs,) each: the judge, the cluster, and entrants `one` and `two`, shown in this order and then in the other.

    `votes` (pairs, 2) are the verdicts in the two orders: 1 for `one`, 0 for a tie, -1 for `two`.
    """

    judge: Integers
    cluster: Integers
    one: Integers
    two: Integers
    votes: Integers

    @property
    def consistent(self) -> Flags:
        """(pairs,) whether both orders got the same verdict."""
        return np.asarray(self.votes[:, 0] == self.votes[:, 1])

    @property
    def flipped(self) -> Flags:
        """(pairs,) whether the two orders preferred opposite entrants."""
        return np.asarray(self.votes[:, 0] * self.votes[:, 1] < 0)

    def of(self, chosen: Flags) -> SwapPairs:
        """The chosen pairs."""
        return SwapPairs(self.judge[chosen], self.cluster[chosen], self.one[chosen], self.two[chosen], self.votes[chosen])


@dataclass(frozen=True, slots=True)
class SwapAccuracy:
    """Shares with intervals by profile, one element each (METRICS, ratings).

    `individual`: verdicts that are right, a tie half. `consistent_else_tie`: pairs, where inconsistent verdicts count as one tie.
    `drop_inconsistent`: pairs with the same verdict in both orders. `consistency`: pairs with the same verdict in both orders among all.
    """

    individual: Estimates
    consistent_else_tie: Estimates
    drop_inconsistent: Estimates
    consistency: Estimates


def swap_pairs(battles: Battles) -> SwapPairs:
    """The pairs with a verdict in both orders; where one order has none the other is left out here.

    Raises ValueError if verdicts of one pair are not two orders of the same entrants by one judge.
    """
    rows = np.flatnonzero(battles.pair >= 0)
    rows = rows[np.argsort(battles.pair[rows], kind="stable")]
    pair = battles.pair[rows]
    begins = np.flatnonzero(np.r_[True, pair[1:] != pair[:-1]][: len(pair)])
    size = np.diff(np.r_[begins, len(pair)])
    a, b = rows[begins[size == 2]], rows[begins[size == 2] + 1]
    crossed = (battles.first[a] == battles.second[b]) & (battles.second[a] == battles.first[b])
    if (size > 2).any() or not (crossed & (battles.judge[a] == battles.judge[b]) & (battles.cluster[a] == battles.cluster[b])).all():
        raise ValueError("a pair index must name the two orders of one pair of entrants, by one judge for one person")
    votes = np.stack([1 - battles.result[a], battles.result[b] - 1], axis=1)
    return SwapPairs(battles.judge[a], battles.cluster[a], battles.first[a], battles.second[a], votes)


def swap_accuracy(pairs: SwapPairs, one_is_better: Flags) -> SwapAccuracy:
    """How right verdicts on swapped pairs are; `one_is_better` (pairs,) says whether `one` is the better entrant."""
    right = (1 + pairs.votes * np.where(one_is_better, 1, -1)[:, None]) / 2  # (pairs, 2) 1 right, 1/2 tie, 0 wrong
    agreed = np.where(pairs.consistent, right[:, 0], np.nan)
    columns = (right.mean(axis=1), np.where(pairs.consistent, right[:, 0], 0.5), agreed, pairs.consistent.astype(np.float64))
    return SwapAccuracy(*(people_share(pairs.cluster, column) for column in columns))
