"""What is odd about human ratings; nothing is left out for it, since who may be left out is decided before anybody looks at results.

An annotator is *straight-lining* if the longest run of the same answer, in the order of the file, is at least half of their answers
(Curran 2016, Methods for the detection of carelessly invalid responses in survey data, J. Exp. Soc. Psychol. 66, long-string analysis).
Under 20 answers chance alone makes such runs too often, and nobody is called so (*ours*). Of choices the answer is the side or the place
that was chosen: who always takes the first one has not looked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.human.records import Best, Case, Choice, Rating, Row

FEW_ROWS = 10
"""An annotator with fewer answers is named: too few to tell their habits (*ours*)."""

STRAIGHT_FROM = 20
NEVER_ZERO_FROM = 100
"""From so many ratings on it is odd that nobody gave a 0: the scale may have been 1-5."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator: answers, the longest run of one answer, whether they are straight-lining or have too `few` rows.

    `incomplete` counts the cases in which they rated a part of the methods that others rated there.
    """

    id: str
    rows: int
    longest_run: int
    straight: bool
    few: bool
    incomplete: int


@dataclass(frozen=True, slots=True)
class Checks:
    """Annotators by id; the cases whose block is incomplete; whether no rating is 0 though there are many."""

    annotators: tuple[Annotator, ...]
    incomplete: tuple[Case, ...]
    never_zero: bool

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know, in words."""
        told = [f"{one.id}: the same answer {one.longest_run} times running, of {one.rows}" for one in self.annotators if one.straight]
        told += [f"{one.id}: only {one.rows} answers" for one in self.annotators if one.few]
        if self.incomplete:
            told.append(f"{len(self.incomplete)} cases have incomplete blocks: Kendall's W leaves them out, Krippendorff's alpha does not")
        if self.never_zero:
            told.append("nobody ever gave a 0: make sure that the scale was 0-5 and not 1-5")
        return tuple(told)


def check(rows: Sequence[Row], *, few_rows: int = FEW_ROWS) -> Checks:
    """Check the rows of one file, of one kind."""
    answers: dict[str, list[object]] = defaultdict(list)
    for row in rows:
        answers[row.annotator].append(_answer(row))
    blocks = _incomplete([row for row in rows if isinstance(row, Rating)])
    lacking: dict[str, int] = defaultdict(int)
    for _, annotator in blocks:
        lacking[annotator] += 1
    annotators = []
    for name, given in sorted(answers.items()):
        run = _longest_run(given)
        straight = len(given) >= STRAIGHT_FROM and 2 * run >= len(given)
        annotators.append(Annotator(name, len(given), run, straight, len(given) < few_rows, lacking[name]))
    scores = [row.score for row in rows if isinstance(row, Rating)]
    never_zero = len(scores) >= NEVER_ZERO_FROM and min(scores) >= 1
    return Checks(tuple(annotators), tuple(dict.fromkeys(case for case, _ in blocks)), never_zero)


def _answer(row: Row) -> object:
    match row:
        case Rating(score=score):
            return score
        case Choice(choice=choice):
            return choice
        case Best(options=options, choice=choice):
            return options.index(choice)


def _longest_run(answers: Sequence[object]) -> int:
    longest = run = 0
    for before, answer in zip([object(), *answers], answers, strict=False):
        run = run + 1 if answer == before else 1
        longest = max(longest, run)
    return longest


def _incomplete(rows: Sequence[Rating]) -> list[tuple[Case, str]]:
    """Each case, and annotator, who rated a part of what anybody rated in it."""
    methods: dict[Case, set[str]] = defaultdict(set)
    rated: dict[tuple[Case, str], set[str]] = defaultdict(set)
    for row in rows:
        methods[row.case].add(row.method)
        rated[row.case, row.annotator].add(row.method)
    return sorted(key for key, found in rated.items() if found != methods[key[0]])
