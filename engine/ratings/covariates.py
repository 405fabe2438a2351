"""What sways a judge besides strength and position: the length of a text, and whether it comes from the judge's own family.

Davidson's model with linear terms for each verdict: d = theta_first - theta_second + g of the judge + b x what the first has more of, and
nu of the judge; P(first), P(tie), P(second) proportional to exp(d/2), nu, exp(-d/2). A b is in log odds. People are clusters: the error
comes from the delete-one-person jackknife in one Newton step each (the CR3 sandwich: Bell and McCaffrey 2002), with Student's t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.statistics.estimates import CONFIDENCE, FEWEST_CLUSTERS, Estimates, Flags, Floats, Integers

METHOD = "davidson/position=per-judge/ties=per-judge/linear-terms/interval=jackknife-by-person/v1"

_LIMIT = 60
_LONGEST = 2.0
_INFINITE = 25.0
"""Log odds that no number of verdicts supports: there the likelihood still rises."""
_ROWS_AT_ONCE = 100_000
_CLUSTERS_AT_ONCE = 1_000
_FLAT = 1e-9
"""An information matrix of unit diagonal whose least eigenvalue is this small a part of its greatest cannot tell its parameters apart."""


@dataclass(frozen=True, slots=True)
class Effects:
    """The b of each term (terms,), with 95 % intervals over people; or none, and the `reason`."""

    names: tuple[str, ...]
    estimates: Estimates
    reason: str


def effect_of_length(battles: Battles, lengths: Floats) -> Effects:
    """The effect of twice as many words, adjusted for methods and position. `lengths` (rows,): log2 of words first over second; NaN rows
    are left out."""
    known = np.isfinite(lengths)
    if not known.any():
        return _none(("length",), "no text has a length" if len(battles) else "no verdict")
    return fit_effects(battles.of(known), lengths[known][:, None], ("length",))


def effect_of_kin(battles: Battles, lengths: Floats, judge_families: Sequence[str], entrant_families: Sequence[str]) -> Effects:
    """The effect of being of the judge's own family, with strengths shared by all judges and, where texts have lengths, a length effect of
    each judge; "kin" is the first term. "" is no family.

    That judges share strengths is an assumption, so only those are asked whose family wrote some entrant, where they are of two families or
    more; else the others are needed to compare with. Judges that never prefer one of the sides are left out: they have no strengths.
    """
    sides = np.stack([np.bincount(battles.judge[battles.result == side], minlength=len(battles.judges)) for side in (FIRST, SECOND)])
    asked: Flags = np.asarray(sides.all(axis=0))
    related = np.array([family != "" and family in entrant_families for family in judge_families], dtype=np.bool_)
    if len({family for family, one in zip(judge_families, asked & related, strict=True) if one}) > 1:
        asked &= related
    rows = asked[battles.judge] & (np.isfinite(lengths) | ~np.isfinite(lengths).any())
    battles, lengths = battles.of(rows), lengths[rows]
    of_judge, of_entrant = np.array(judge_families, dtype=object), np.array(entrant_families, dtype=object)
    judged = of_judge[battles.judge]
    first, second = (((judged != "") & (of_entrant[side] == judged)).astype(np.float64) for side in (battles.first, battles.second))
    terms, names = [first - second], ["kin"]
    if np.isfinite(lengths).any():
        for judge in np.unique(battles.judge):
            terms.append(np.where(battles.judge == judge, lengths, 0.0))
            names.append(f"length {battles.judges[judge]}")
    return fit_effects(battles, np.stack(terms, axis=1), tuple(names))


def fit_effects(battles: Battles, terms: Floats, names: tuple[str, ...]) -> Effects:
    """The effects of `terms` (rows, terms), each what the first has more of than the second, on verdicts."""
    if not len(battles):
        return _none(names, "no verdict")
    unit = np.sqrt((terms**2).mean(axis=0))
    model = _Rows(battles, terms / np.where(unit > 0, unit, 1.0))
    if not model.is_identified():
        return _none(names, "it cannot be told from the methods' strengths and the position: it is the same for every pair of methods")
    beta = model.maximum()
    if beta is None:
        return _none(names, "the verdicts put no bound on it: a judge or a method that is never preferred, or always")
    chosen = slice(model.linear - terms.shape[1], model.linear)
    clusters = len(np.unique(battles.cluster))
    mean = beta[chosen] / unit
    if clusters < FEWEST_CLUSTERS:
        half = np.full(len(mean), np.nan)
    else:
        half = stdtrit(clusters - 1, (1 + CONFIDENCE) / 2) * model.errors(beta)[chosen] / unit
    counts = (np.full(len(mean), len(battles)), np.full(len(mean), clusters), np.zeros(len(mean), dtype=np.int64))
    return Effects(names, Estimates(mean, mean - half, mean + half, *counts), "")


def _none(names: tuple[str, ...], reason: str) -> Effects:
    nothing = [np.full(len(names), np.nan) for _ in range(3)]
    return Effects(names, Estimates(*nothing, *(np.zeros(len(names), dtype=np.int64) for _ in range(3))), reason)


class _Rows:
    """The likelihood, a verdict at a time. Parameters: strengths less the first entrant's, positions, terms, ln nu of judges that tie."""

    def __init__(self, battles: Battles, terms: Floats) -> None:
        present = np.unique(np.concatenate([battles.first, battles.second]))
        self.cluster = np.unique(battles.cluster, return_inverse=True)[1]
        self._first, self._second = (np.searchsorted(present, side) for side in (battles.first, battles.second))
        judges, self._judge = np.unique(battles.judge, return_inverse=True)
        self._result, self._terms = battles.result, terms
        self._entrants, self._judges = len(present), len(judges)
        tying = np.bincount(self._judge[battles.result == TIE], minlength=len(judges)) > 0
        self._tie_of_judge = np.where(tying, np.cumsum(tying) - 1, -1)
        self.linear = self._entrants - 1 + self._judges + terms.shape[1]
        self.parameters = self.linear + int(tying.sum())

    def is_identified(self) -> bool:
        """Whether the rows can tell all parameters apart."""
        information = self.information(np.zeros(self.parameters))
        spread = np.sqrt(np.diag(information))
        if not (spread > 0).all():
            return False
        eigenvalues = np.linalg.eigvalsh(information / np.outer(spread, spread))
        return bool(eigenvalues[0] > _FLAT * eigenvalues[-1])

    def maximum(self) -> Floats | None:
        """The maximum of the likelihood; None if there is none."""
        beta = np.zeros(self.parameters)
        for _ in range(_LIMIT):
            information = self.information(beta)
            gradient = self.scores(beta).sum(axis=0)
            # A hair of curvature: a direction that is flat keeps its place, and the maximum does not depend on it.
            information[np.diag_indices(self.parameters)] += 1e-12 * information.max()
            move = np.linalg.solve(information, gradient)
            length = float(np.abs(move).max())
            beta += move * min(1.0, _LONGEST / max(length, 1e-300))
            if length < 1e-9:
                return beta
            if np.abs(beta).max() > _INFINITE:
                return None
        return None

    def information(self, beta: Floats) -> Floats:
        """(P, P) over all rows."""
        found = np.zeros((self.parameters, self.parameters))
        for rows in self._chunks():
            found += self._information_of(rows, beta)
        return found

    def scores(self, beta: Floats) -> Floats:
        """(clusters, P) the gradient of each cluster's log likelihood."""
        found = np.zeros((int(self.cluster.max()) + 1, self.parameters))
        for rows in self._chunks():
            design, lead, tie = self._expected(rows, beta)
            told = np.select([self._result[rows] == FIRST, self._result[rows] == SECOND], [0.5, -0.5], 0.0) - lead
            np.add.at(found[:, : self.linear], self.cluster[rows], told[:, None] * design)
            place = self._tie_of_judge[self._judge[rows]]
            tying = place >= 0
            surprise = (self._result[rows] == TIE) - tie
            np.add.at(found, (self.cluster[rows][tying], self.linear + place[tying]), surprise[tying])
        return found

    def errors(self, beta: Floats) -> Floats:
        """(P,) standard errors: the spread of one-step estimates with each person left out."""
        scores, information = self.scores(beta), self.information(beta)
        clusters = len(scores)
        order = np.argsort(self.cluster, kind="stable")
        bounds = np.searchsorted(self.cluster[order], np.arange(clusters + 1))
        moved = np.empty_like(scores)
        for start in range(0, clusters, _CLUSTERS_AT_ONCE):
            some = np.arange(start, min(start + _CLUSTERS_AT_ONCE, clusters))
            own = np.stack([self._information_of(order[bounds[c] : bounds[c + 1]], beta) for c in some])
            moved[some] = np.linalg.solve(_kept_definite(information - own, information), scores[some][:, :, None])[:, :, 0]
        centred = moved - moved.mean(axis=0)
        return np.asarray(np.sqrt((clusters - 1) / clusters * (centred**2).sum(axis=0)))

    def _information_of(self, rows: Integers, beta: Floats) -> Floats:
        design, lead, tie = self._expected(rows, beta)
        found = np.zeros((self.parameters, self.parameters))
        q = self.linear
        found[:q, :q] = (design * ((1 - tie - 4 * lead**2) / 4)[:, None]).T @ design
        place = self._tie_of_judge[self._judge[rows]]
        for j in range(self.parameters - q):
            own = place == j
            crossed = -(lead[own] * tie[own]) @ design[own]
            found[:q, q + j] = found[q + j, :q] = crossed
            found[q + j, q + j] = (tie[own] * (1 - tie[own])).sum()
        return found

    def _expected(self, rows: Integers, beta: Floats) -> tuple[Floats, Floats, Floats]:
        """Design (rows, linear), (P(first) - P(second)) / 2 and P(tie)."""
        design = np.zeros((len(rows), self.linear))
        at = np.arange(len(rows))
        for side, sign in ((self._first, 1.0), (self._second, -1.0)):
            later = side[rows] > 0
            design[at[later], side[rows][later] - 1] = sign
        design[at, self._entrants - 1 + self._judge[rows]] = 1.0
        design[:, self.linear - self._terms.shape[1] :] = self._terms[rows]
        x = design @ beta[: self.linear]
        place = self._tie_of_judge[self._judge[rows]]
        nu = np.where(place >= 0, np.exp(beta[self.linear :][place]) if self.parameters > self.linear else 0.0, 0.0)
        up, down = np.exp(x / 2), np.exp(-x / 2)
        total = up + down + nu
        return design, (up - down) / (2 * total), nu / total

    def _chunks(self) -> list[Integers]:
        every = np.arange(len(self._result))
        return [every[start : start + _ROWS_AT_ONCE] for start in range(0, len(every), _ROWS_AT_ONCE)]


def _kept_definite(less: Floats, whole: Floats) -> Floats:
    """(clusters, P, P) information without a cluster; that of all where the cluster alone told a parameter."""
    least = np.linalg.eigvalsh(less)[:, 0]
    alone: Flags = least < _FLAT * np.linalg.eigvalsh(whole)[-1]
    return np.where(alone[:, None, None], whole, less)
