"""Davidson's model of preferences with ties, with a position term and a tie parameter for each judge; Bradley-Terry is it without both.

P(first), P(tie), P(second) are proportional to exp(x/2), nu, exp(-x/2), x = theta_first - theta_second + g of the judge (METRICS, ratings;
Davidson 1970; Davidson and Beaver 1977). Without tie parameters a tie is half a win for each side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from engine.ratings.battles import FIRST, SECOND, TIE
from engine.ratings.counts import RESULTS, Counts
from engine.statistics.estimates import Flags, Floats, Integers


class Davidson:
    """The likelihood of counted verdicts, and what of them it depends on.

    Parameters (P,) are the strengths theta of all entrants, then with `position` a term g for each judge, then with `ties` ln nu for
    each judge. *Statistics* (S,) are sums over verdicts: how many there are of each cell, the linear part of the likelihood's gradient,
    who beat or tied whom, and how often each judge preferred each side.

    Args:
        counts: verdicts; every entrant must occur.
        position: whether each judge has a position term.
        ties: whether each judge has a tie parameter.
    """

    def __init__(self, counts: Counts, *, position: bool = True, ties: bool = True) -> None:
        self.entrants, self.judges = len(counts.entrants), len(counts.judges)
        self.position, self.ties = position, ties
        self.linear = self.entrants + (self.judges if position else 0)
        self.parameters = self.linear + (self.judges if ties else 0)
        apart = position or ties
        key = np.stack([counts.judge, counts.first, counts.second], axis=1)
        if not apart:
            key = np.stack([0 * counts.judge, np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)], axis=1)
        cells, cell = np.unique(key.reshape(-1, 3), axis=0, return_inverse=True)
        self.cells, self.judge = len(cells), cells[:, 0]
        self.design = self._design(cells)
        self._fold = self._statistics_of(counts, cell.ravel())
        self._squares = self._products()
        self._of_judge = np.zeros((self.cells, self.judges))
        self._of_judge[np.arange(self.cells), self.judge] = 1.0

    def statistics(self, per_cluster: Any) -> Any:
        """Statistics of each cluster, sparse (clusters, S), from counts (clusters, 3 cells)."""
        return (per_cluster @ self._fold).tocsr()

    def derivatives(self, statistics: Floats, beta: Floats) -> tuple[Floats, Floats]:
        """Gradient (rounds, P) and information (rounds, P, P) of the log likelihood at `beta` (rounds, P).

        A direction in which nothing can be told, the common level of all strengths, a judge without verdicts or ties, has curvature and
        no gradient, so that it stays where it is.
        """
        n, linear = statistics[:, : self.cells], statistics[:, self.cells : self.cells + self.parameters]
        lead, tie = self._expected(beta, self.ties_seen(statistics))
        gradient = linear - self._weighted(n * lead, n * tie)
        information = np.zeros((len(beta), self.parameters, self.parameters))
        q = self.linear
        spread = n * (1 - tie - 4 * lead**2) / 4
        information[:, :q, :q] = (spread @ self._squares).reshape(-1, q, q)
        if self.ties:
            crossed = -(n * lead * tie)
            for judge in range(self.judges):
                of_judge = self.judge == judge
                column = crossed[:, of_judge] @ self.design[of_judge]
                information[:, :q, q + judge] = information[:, q + judge, :q] = column
            own = (n * tie * (1 - tie)) @ self._of_judge
            at = np.arange(q, self.parameters)
            information[:, at, at] = own
        m = self.entrants
        information[:, :m, :m] += (n.sum(axis=1) / m**2)[:, None, None]
        at = np.arange(m, self.parameters)
        information[:, at, at] += information[:, at, at] == 0
        return gradient, information

    def scores(self, statistics: Floats, beta: Floats) -> Floats:
        """What each statistic adds to the gradient at `beta` (rounds, P): (rounds, S, P). `statistics` (rounds, S) tell who ties."""
        lead, tie = self._expected(beta, self.ties_seen(statistics))
        found = np.zeros((len(beta), statistics.shape[1], self.parameters))
        found[:, : self.cells, : self.linear] = -lead[:, :, None] * self.design
        if self.ties:
            found[:, : self.cells, self.linear :] = -tie[:, :, None] * self._of_judge
        at = np.arange(self.parameters)
        found[:, self.cells + at, at] = 1.0
        return found

    def beaten_or_tied(self, statistics: Floats) -> Flags:
        """(rounds, entrants, entrants) whether the row's entrant beat or tied the column's."""
        start = self.cells + self.parameters
        return np.asarray(statistics[:, start : start + self.entrants**2] > 0).reshape(-1, self.entrants, self.entrants)

    def sides(self, statistics: Floats) -> Floats:
        """(rounds, judges, 2) how often each judge preferred the first and the second."""
        start = self.cells + self.parameters + self.entrants**2
        return statistics[:, start:].reshape(-1, self.judges, 2)

    def ties_seen(self, statistics: Floats) -> Floats:
        """(rounds, judges) 1 for a judge with a tie, whose nu is above 0; without tie parameters (rounds, 0)."""
        return (statistics[:, self.cells + self.linear : self.cells + self.parameters] > 0).astype(np.float64)

    def identified(self, statistics: Floats) -> Flags:
        """(rounds,) whether the pairs and orders that were judged can tell strengths and position terms apart."""
        seen = statistics[:, : self.cells] > 0
        found = np.ones(len(statistics), dtype=np.bool_)
        lacking = np.asarray(~seen.all(axis=1))
        lacking[:1] = True
        q, m = self.linear, self.entrants
        design = (seen[lacking].astype(np.float64) @ self._squares).reshape(-1, q, q)
        design[:, :m, :m] += 1.0
        at = np.arange(q)
        design[:, at, at] += design[:, at, at] == 0
        found[lacking] = np.linalg.eigvalsh(design)[:, 0] > 1e-8
        return found

    def _expected(self, beta: Floats, ties_seen: Floats) -> tuple[Floats, Floats]:
        """(rounds, cells) (P(first) - P(second)) / 2, and P(tie)."""
        x = beta[:, : self.linear] @ self.design.T
        if not self.ties:
            return np.tanh(x / 2) / 2, np.zeros_like(x)
        up = np.exp(x / 2)
        down = 1 / up
        nu = (np.exp(beta[:, self.linear :]) * ties_seen)[:, self.judge]
        total = up + down + nu
        return (up - down) / (2 * total), nu / total

    def _weighted(self, lead: Floats, tie: Floats) -> Floats:
        linear = lead @ self.design
        return np.concatenate([linear, tie @ self._of_judge], axis=1) if self.ties else linear

    def _design(self, cells: Integers) -> Floats:
        design = np.zeros((len(cells), self.linear))
        at = np.arange(len(cells))
        design[at, cells[:, 1]] = 1.0
        design[at, cells[:, 2]] = -1.0
        if self.position:
            design[at, self.entrants + cells[:, 0]] = 1.0
        return design

    def _products(self) -> Any:
        """Sparse (cells, linear^2): products of every two entries of each row of the design, of which two or three are not 0."""
        cell, flat = np.nonzero(self.design)
        entries = len(cell) // self.cells
        column = flat.reshape(self.cells, entries)
        value = self.design[cell, flat].reshape(self.cells, entries)
        square = (column[:, :, None] * self.linear + column[:, None, :]).ravel()
        products = (value[:, :, None] * value[:, None, :]).ravel()
        rows = np.repeat(np.arange(self.cells), entries**2)
        return sparse.coo_array((products, (rows, square)), shape=(self.cells, self.linear**2)).tocsr()

    def _statistics_of(self, counts: Counts, cell: Integers) -> Any:
        """Sparse (3 cells of the counts, S): what one verdict adds to the statistics."""
        entries: list[tuple[Integers, Integers, Floats]] = []
        size = len(cell)
        row = np.arange(size) * RESULTS

        def add(result: int, column: Integers, value: float) -> None:
            entries.append((row + result, column, np.full(size, value)))

        edges = self.cells + self.parameters
        sides = edges + self.entrants**2
        for result, sign in ((FIRST, 0.5), (TIE, 0.0), (SECOND, -0.5)):
            add(result, cell, 1.0)
            if sign:
                add(result, self.cells + counts.first, sign)
                add(result, self.cells + counts.second, -sign)
                if self.position:
                    add(result, self.cells + self.entrants + counts.judge, sign)
                add(result, sides + 2 * counts.judge + (result == SECOND), 1.0)
            if result != SECOND:
                add(result, edges + counts.first * self.entrants + counts.second, 1.0)
            if result != FIRST:
                add(result, edges + counts.second * self.entrants + counts.first, 1.0)
        if self.ties:
            add(TIE, self.cells + self.linear + counts.judge, 1.0)
        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        return sparse.coo_array((values, (rows, columns)), shape=(size * RESULTS, sides + 2 * self.judges)).tocsr()
