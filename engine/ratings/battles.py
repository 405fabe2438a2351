"""Verdicts on pairs as columns: what every rating, bootstrap and rate is computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.statistics.estimates import Flags, Integers

FIRST, TIE, SECOND = 0, 1, 2
"""Who was preferred: the entrant shown first, none, the one shown second."""


@dataclass(frozen=True, slots=True)
class Battles:
    """Verdicts of judges on pairs of entrants, one row each; refusals and answers without a verdict are not among them.

    `entrants`, `judges` and `clusters` are the names that `first`, `second`, `judge` and `cluster` (rows,) index. `result` (rows,) is
    FIRST, TIE or SECOND. `pair` (rows,) is the same for the two orders in which one judge saw one pair, -1 where only one order was asked.
    """

    entrants: tuple[str, ...]
    judges: tuple[str, ...]
    clusters: tuple[str, ...]
    cluster: Integers
    judge: Integers
    first: Integers
    second: Integers
    result: Integers
    pair: Integers

    def __post_init__(self) -> None:
        rows = len(self.first)
        columns = {"cluster": self.cluster, "judge": self.judge, "second": self.second, "result": self.result, "pair": self.pair}
        if wrong := [name for name, column in columns.items() if len(column) != rows]:
            raise ValueError(f"{', '.join(wrong)}: not {rows} rows")
        if np.any(self.first == self.second):
            raise ValueError("an entrant cannot be compared with itself")

    def __len__(self) -> int:
        return len(self.first)

    def of(self, rows: Flags) -> Battles:
        """The chosen rows, of the same entrants, judges and clusters."""
        chosen = (column[rows] for column in (self.cluster, self.judge, self.first, self.second, self.result, self.pair))
        return Battles(self.entrants, self.judges, self.clusters, *chosen)

    def of_judge(self, judge: int) -> Battles:
        """The rows of one judge."""
        return self.of(self.judge == judge)
