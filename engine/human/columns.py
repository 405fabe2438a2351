"""Human ratings as arrays: blocks for agreement, battles for ratings, counts of choices for an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.agreement.orders import Order, ratio_order
from engine.human.records import Best, Case, Choice, Rating, Row
from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats, Integers

HUMAN = "human"
"""All annotators as one judge."""

_RESULTS = {"first": FIRST, "tie": TIE, "second": SECOND}


@dataclass(frozen=True, slots=True)
class Blocks:
    """Ratings (cases, annotators, methods), NaN where an annotator did not rate; `cluster` (cases,) of people.

    `cases`, `annotators` and `methods` name the axes, sorted.
    """

    cases: tuple[Case, ...]
    annotators: tuple[str, ...]
    methods: tuple[str, ...]
    cluster: Integers
    ratings: Floats

    @property
    def mean(self) -> Floats:
        """(cases, methods) mean rating over annotators; NaN where nobody rated."""
        rated = np.isfinite(self.ratings)
        count = rated.sum(axis=1)
        return np.where(count > 0, np.where(rated, self.ratings, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)

    @property
    def units(self) -> tuple[Integers, Floats]:
        """The cluster of each case and method, and (cases x methods, annotators) its ratings: what Krippendorff's alpha takes."""
        return np.repeat(self.cluster, len(self.methods)), self.ratings.transpose(0, 2, 1).reshape(-1, len(self.annotators))


@dataclass(frozen=True, slots=True)
class Choices:
    """Best-of-k answers: (answers, methods) each. `chosen` is 1 for the choice, `expected` 1/k for each option: what chance would give.

    `cluster` (answers,) of people.
    """

    methods: tuple[str, ...]
    cluster: Integers
    chosen: Floats
    expected: Floats

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How often each method was chosen, and how often offered."""
        chosen, offered = self.chosen.sum(axis=0), (self.expected > 0).sum(axis=0)
        return {name: (int(chosen[place]), int(offered[place])) for place, name in enumerate(self.methods)}

    def order(self, bootstrap: ClusterBootstrap, methods: Sequence[str]) -> Order:
        """How often each of `methods` was chosen over how often chance would have chosen it; NaN for one that was never offered."""
        place = {name: column for column, name in enumerate(self.methods)}
        chosen, expected = np.zeros((len(self.cluster), len(methods))), np.zeros((len(self.cluster), len(methods)))
        for column, name in enumerate(methods):
            if name in place:
                chosen[:, column], expected[:, column] = self.chosen[:, place[name]], self.expected[:, place[name]]
        return ratio_order(bootstrap, self.cluster, chosen, expected)


def places(*files: Iterable[Row], cluster_of: Mapping[str, str] | None = None) -> dict[str, int]:
    """The cluster index of each profile in all `files`, the same for every conversion; a profile is its own cluster if nothing is said."""
    profiles = sorted({row.profile for rows in files for row in rows})
    names = sorted({(cluster_of or {}).get(profile, profile) for profile in profiles})
    index = {name: place for place, name in enumerate(names)}
    return {profile: index[(cluster_of or {}).get(profile, profile)] for profile in profiles}


def blocks(rows: Sequence[Rating], clusters: Mapping[str, int]) -> Blocks:
    """Ratings as blocks; `clusters` as `places` gives them."""
    cases, annotators = sorted({row.case for row in rows}), sorted({row.annotator for row in rows})
    methods = sorted({row.method for row in rows})
    ratings = np.full((len(cases), len(annotators), len(methods)), np.nan)
    for (case, annotator, method), row in zip(_coded(rows, cases, annotators, methods), rows, strict=True):
        ratings[case, annotator, method] = row.score
    cluster = np.array([clusters[case[0]] for case in cases], dtype=np.int64)
    return Blocks(tuple(cases), tuple(annotators), tuple(methods), cluster, ratings)


def battles(rows: Sequence[Choice], clusters: Mapping[str, int], *, together: bool = False) -> tuple[Battles, Integers]:
    """Choices as battles, and the case of each row, with each annotator as a judge or, `together`, all of them as the judge "human".

    The two orders in which one annotator saw one pair share a pair index either way.
    """
    entrants = sorted({name for row in rows for name in (row.first, row.second)})
    judges = [HUMAN] if together else sorted({row.annotator for row in rows})
    entrant, judge = {name: index for index, name in enumerate(entrants)}, {name: index for index, name in enumerate(judges)}
    cases = {case: index for index, case in enumerate(sorted({row.case for row in rows}))}
    questions: dict[object, int] = {}
    table = np.zeros((len(rows), 7), dtype=np.int64)
    for index, row in enumerate(rows):
        question = row.annotator, row.case, frozenset((row.first, row.second))
        who = clusters[row.profile], cases[row.case], judge[HUMAN if together else row.annotator]
        said = entrant[row.first], entrant[row.second], _RESULTS[row.choice]
        table[index] = (*who, *said, questions.setdefault(question, len(questions)))
    cluster, case, by, first, second, result, pair = table.T
    both = np.bincount(pair, minlength=1)[pair] == 2
    named = tuple(_first_of_each(clusters))
    return Battles(tuple(entrants), tuple(judges), named, cluster, by, first, second, result, np.where(both, pair, -1)), case


def _first_of_each(clusters: Mapping[str, int]) -> Iterable[str]:
    """A name for each cluster, by its index: its first profile."""
    first: dict[int, str] = {}
    for profile in sorted(clusters):
        first.setdefault(clusters[profile], profile)
    return (first[index] for index in sorted(first))


def choices(rows: Sequence[Best], clusters: Mapping[str, int]) -> Choices:
    """Best-of-k answers as counts."""
    methods = sorted({name for row in rows for name in row.options})
    place = {name: index for index, name in enumerate(methods)}
    chosen, expected = np.zeros((len(rows), len(methods))), np.zeros((len(rows), len(methods)))
    for answer, row in enumerate(rows):
        chosen[answer, place[row.choice]] = 1.0
        expected[answer, [place[name] for name in row.options]] = 1 / len(row.options)
    return Choices(tuple(methods), np.array([clusters[row.profile] for row in rows], dtype=np.int64), chosen, expected)


def _coded(rows: Sequence[Rating], cases: list[Case], annotators: list[str], methods: list[str]) -> Iterable[tuple[int, int, int]]:
    case, annotator, method = ({name: place for place, name in enumerate(names)} for names in (cases, annotators, methods))
    return ((case[row.case], annotator[row.annotator], method[row.method]) for row in rows)
