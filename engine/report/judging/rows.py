"""The rows of the judges' summary: what `judging.json` holds. A figure that cannot be had is None, never NaN and never 0."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.agreement.figure import Figure
from engine.judging.rubric import Question
from engine.report.rows import Difference, Effect, Result, WinShare, rounded
from engine.statistics.estimates import Estimates


@dataclass(frozen=True, slots=True)
class Pool:
    """Outputs that may be compared, judged in one way: of one writer, backbone, budget and renderer ("" for texts)."""

    looks: str
    writer: str
    backbone: str
    budget: str
    renderer: str

    @property
    def title(self) -> str:
        """Its name in headings and sentences."""
        drawn = f", drawn by {self.renderer}" if self.renderer else ""
        return f"{self.looks} by {self.writer}, {self.budget}{drawn}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval, the `n` that it is over, and the clusters of people behind it."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


def estimate_of(found: Estimates, column: int) -> Estimate:
    """One column of `found`."""
    mean, low, high = (rounded(values[column]) for values in (found.mean, found.low, found.high))
    return Estimate(mean, low, high, int(found.n[column]), int(found.clusters[column]))


def estimate_from(found: Figure) -> Estimate:
    """A figure of `engine.agreement`."""
    return Estimate(rounded(found.value), rounded(found.low), rounded(found.high), found.n, found.clusters)


def shares(low: float | None, high: float | None) -> str:
    """An interval of a share in percent, or the words that there is none."""
    return "no interval" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


@dataclass(frozen=True, slots=True)
class Asked:
    """How a judge's units of one question ended, over all pools. `codes`: how many failed with each code; `without`: nothing
    to judge, since the output itself failed or was declined; `models`: what replied."""

    judge: str
    question: str
    answered: int
    refused: int
    unparsed: int
    failed: int
    without: int
    codes: tuple[tuple[str, int], ...]
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int

    @property
    def units(self) -> int:
        """All that were put before the judge."""
        return self.answered + self.refused + self.unparsed + self.failed


@dataclass(frozen=True, slots=True)
class Spread:
    """How often a judge gave a method each rating, to the nearest whole number from 0 to 5."""

    judge: str
    method: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of a pool; `metric` of a row names the judge, `value:metric` the run's own score, `value:human` people."""

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    wins: tuple[WinShare, ...]
    effects: tuple[Effect, ...]
    spreads: tuple[Spread, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A method's place on a leaderboard. `without_low` and `without_high`: its least and greatest rating with one judge left out."""

    method: str
    rating: Estimate
    rank: float | None
    rank_low: float | None
    rank_high: float | None
    without_low: float | None = None
    without_high: float | None = None


@dataclass(frozen=True, slots=True)
class Lead:
    """Rating of `method` less that of `other`; `low` and `high` cover all pairs of the board at once, `holm` is adjusted for them."""

    method: str
    other: str
    mean: float | None
    low: float | None
    high: float | None
    holm: float | None


@dataclass(frozen=True, slots=True)
class Meeting:
    """How often `method` was preferred to `other`: `rate` has a tie as half."""

    method: str
    other: str
    wins: int
    ties: int
    battles: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard of one judge, or of all where `judge` is ""; `id` names every choice of the fit."""

    judge: str
    id: str
    entries: tuple[Entry, ...]
    leads: tuple[Lead, ...]
    meetings: tuple[Meeting, ...]
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What other methods make of the same verdicts: plain Bradley-Terry, PIPBench's released fit, online Elo over random orders."""

    method: str
    plain: Estimate
    pipbench: float | None
    pipbench_half: float | None
    elo: float | None
    elo_sd: float | None


@dataclass(frozen=True, slots=True)
class Watched:
    """A pair in a study that is looked at as it grows: mean preference of `method` over `other` (1 to -1) over `people`, with an interval
    that holds at every look and for all pairs at once; `standing` is "decided", "equal" or "open"."""

    method: str
    other: str
    mean: float | None
    low: float | None
    high: float | None
    people: int
    standing: str


@dataclass(frozen=True, slots=True)
class Habit:
    """What a judge does whatever is compared. `always`: the one answer it gives, "" if it gives several; `most` and `most_share` the
    commonest answer and its share. `position`: log odds for what is shown first, at equal strength; `length`: log odds for twice as many
    words, adjusted for methods and position, with `length_note` why there is none.
    """

    judge: str
    tie: Estimate
    first: Estimate
    flip: Estimate
    consistency: Estimate
    position: Estimate
    length: Estimate
    length_note: str
    always: str
    most: str
    most_share: float


@dataclass(frozen=True, slots=True)
class Compared:
    """Verdicts on pairs of a pool: `overall` over all judges, `boards` each judge's own."""

    overall: Board
    boards: tuple[Board, ...]
    beside: tuple[Beside, ...]
    plain_id: str
    plain_cautions: tuple[str, ...]
    pipbench_id: str
    elo_id: str
    elo_orders: int
    elo_rankings: int
    habits: tuple[Habit, ...]
    watched: tuple[Watched, ...]
    equal_within: float
    kin: Estimate | None
    kin_note: str

    @property
    def shown(self) -> tuple[Board, ...]:
        """Each judge's board; before them the one over all where there are several. A single judge's has the cautions of both."""
        if len(self.boards) > 1:
            return (self.overall, *self.boards)
        more = tuple(caution for board in self.boards for caution in board.cautions if caution not in self.overall.cautions)
        return tuple(replace(board, cautions=(*self.overall.cautions, *more)) for board in self.boards)


@dataclass(frozen=True, slots=True)
class Fooled:
    """One method before one judge in the Turing test; `narrow_low` and `narrow_high` bound the 90 % interval of the equivalence test."""

    method: str
    rate: Estimate
    narrow_low: float | None
    narrow_high: float | None
    incomplete: int
    standing: str
    words_own: float | None
    words_other: float | None


@dataclass(frozen=True, slots=True)
class Tested:
    """The Turing test before one judge: how often it tells a stranger's post apart, and what it makes of each method."""

    judge: str
    margin: float
    sensitivity: Estimate
    discerns: bool
    words_own: float | None
    words_other: float | None
    methods: tuple[Fooled, ...]


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to know before a figure is believed, in words; `judge` is "" where it is about all."""

    kind: str
    judge: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the verdict, and the question that it rests on; `judge` is "" where it is about all."""

    question: Question
    judge: str
    sentence: str
