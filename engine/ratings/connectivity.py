"""Who can be compared at all: strongly connected components of the graph of who beat or tied whom (Ford 1957)."""

from __future__ import annotations

import numpy as np

from engine.statistics.estimates import Flags, Integers


def comparable(beaten_or_tied: Flags) -> Flags:
    """(rounds, entrants, entrants) whether a chain of verdicts leads from one to the other and back.

    Args:
        beaten_or_tied: (rounds, entrants, entrants) whether the row's entrant beat or tied the column's.

    Only between such entrants does the likelihood of a paired-comparison model bound the difference in strength.
    """
    entrants = beaten_or_tied.shape[-1]
    found = beaten_or_tied | np.eye(entrants, dtype=np.bool_)
    direct = found.all(axis=(1, 2))
    reached = found[~direct].astype(np.float32)
    for _ in range(max(1, int(np.ceil(np.log2(max(2, entrants)))))):
        reached = np.minimum(reached @ reached, 1.0)
    found[~direct] = reached > 0
    return np.asarray(found & found.transpose(0, 2, 1))


def components(comparable_of_one: Flags) -> Integers:
    """(entrants,) the number of each one's component, by the first entrant in it; from one round of `comparable`."""
    return np.unique(np.argmax(comparable_of_one, axis=1), return_inverse=True)[1]


def undefeated(beaten_or_tied: Flags) -> Flags:
    """(entrants,) whether nobody beat or tied this one, of those that were compared; from one round's graph."""
    return np.asarray(~beaten_or_tied.any(axis=0) & beaten_or_tied.any(axis=1))


def winless(beaten_or_tied: Flags) -> Flags:
    """(entrants,) whether this one beat or tied nobody, of those that were compared; from one round's graph."""
    return undefeated(beaten_or_tied.T)
