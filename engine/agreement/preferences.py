"""What each judge said of the same pair of entrants: the verdicts of `Battles` gathered by item, whichever was shown first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import FIRST, TIE, Battles
from engine.statistics.estimates import Floats, Integers

ONE, NEITHER, OTHER = 0, 1, 2
"""Preference for the entrant of the lower index, for none, for the other; the places of `Preferences.votes`."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """`votes` (judges, items, 3) counts how often each judge preferred ONE, NEITHER, OTHER of an item, in either order of showing.

    `cluster`, `one` and `other` (items,) are each item's cluster of people and its entrants, as indexed in the battles, one < other.
    """

    judges: tuple[str, ...]
    cluster: Integers
    one: Integers
    other: Integers
    votes: Integers

    def majority(self, judges: Sequence[int]) -> Floats:
        """(items,) +1, 0 or -1 where more than half of the votes of `judges` are for ONE, NEITHER, OTHER; NaN where no answer has that."""
        votes = self.votes[list(judges)].sum(axis=0)
        ahead = 2 * votes > votes.sum(axis=1, keepdims=True)
        return np.where(ahead.any(axis=1), ahead[:, ONE] * 1.0 - ahead[:, OTHER], np.nan)

    def verdict(self, judge: int) -> Floats:
        """(items,) as `majority` for one judge, but a tie where its orders contradict each other; NaN where it has no vote."""
        settled = self.majority([judge])
        return np.where(np.isnan(settled) & (self.votes[judge].sum(axis=1) > 0), 0.0, settled)


def preferences(battles: Battles, sample: Integers | None = None) -> Preferences:
    """The verdicts by item: two entrants and a `sample` (rows,), which is the cluster of people if left out.

    Args:
        battles: verdicts of several judges, model or human.
        sample: what the entrants were compared on, such as one query of one person; each sample belongs to one cluster.
    """
    sample = battles.cluster if sample is None else sample
    one, other = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    items, row, item = np.unique(np.stack([sample, one, other], axis=1), axis=0, return_index=True, return_inverse=True)
    swapped = battles.first > battles.second
    answer = np.select([battles.result == TIE, (battles.result == FIRST) ^ swapped], [NEITHER, ONE], OTHER)
    votes = np.zeros((len(battles.judges), len(items), 3), dtype=np.int64)
    np.add.at(votes, (battles.judge, item.ravel(), answer), 1)
    return Preferences(battles.judges, battles.cluster[row], one[row], other[row], votes)
