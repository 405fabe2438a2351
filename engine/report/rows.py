"""The rows of a summary: each dataclass is one list in `summary.json` and one file under `tables/`.

A figure that cannot be had is None, never NaN and never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SIGNIFICANT_DIGITS = 10
"""More than any reader needs, few enough to hide the last bits in which two processors may differ."""


def rounded(value: float) -> float | None:
    """`value` to ten significant digits; None if it is not a finite number."""
    number = float(value)
    if not math.isfinite(number):
        return None
    return float(f"{number:.{SIGNIFICANT_DIGITS}g}") + 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """Mean of one metric over the `n` cases in which every compared method has a value, with its 95 % interval.

    `missing` of the `cases` have no value of this method. `families` counts query families, 0 where queries do not vary.
    """

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    families: int
    missing: int
    cases: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of method - other over the cases in which every compared method has a value.

    `low` and `high` are its own 95 % interval, `family_low` and `family_high` cover all pairs of methods of the task and metric at once.
    `p` is its own p value, `holm` the one adjusted for all those pairs. A claim rests on the family's interval and on `holm`.
    """

    method: str
    other: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    mean: float | None
    low: float | None
    high: float | None
    family_low: float | None
    family_high: float | None
    p: float | None
    holm: float | None
    n: int
    clusters: int
    families: int


@dataclass(frozen=True, slots=True)
class WinShare:
    """Share of cases in which a method is the best of `among` ("all" methods, or those of the "verdict"); ties are split."""

    method: str
    among: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    share: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    families: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Cohen's d of the row's best method against this one, post hoc: each resample chooses its best anew. The best has no d."""

    method: str
    best: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    pooled: float | None
    pooled_low: float | None
    pooled_high: float | None
    paired: float | None
    paired_low: float | None
    paired_high: float | None
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The mean over all `cases` if each of the `missing` had scored the least, or the most, that the metric allows."""

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    low: float
    high: float
    missing: int
    cases: int


@dataclass(frozen=True, slots=True)
class LengthMatched:
    """Mean of method - other at equal prompt length, with its 95 % interval; None with hardly any length in common.

    `share` and `other_share` are the shares of each one's cases whose length the other writes as well, `n` and `other_n` their numbers.
    """

    method: str
    other: str
    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    share: float | None
    other_share: float | None
    n: int
    other_n: int


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Kendall's tau-b between the orders of the competing methods by two metrics, with its 95 % interval over people."""

    task: str
    budget: str
    writer: str
    backbone: str
    metric: str
    other_metric: str
    tau: float | None
    low: float | None
    high: float | None
    methods: int
    reversed_pairs: int
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What people's own captions score, each with itself left out: a reference that a longer prompt can exceed."""

    metric: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    missing: int


@dataclass(frozen=True, slots=True)
class Words:
    """Mean length of a method's prompts in words (METRICS' tokens, query included), and how many an encoder's limit cut."""

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    truncated: int


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How retrieval spread its weight: quartiles of n_eff, and the share of units whose number of posts the 2Q cap decided."""

    method: str
    breadth: str
    budget: str
    writer: str
    backbone: str
    n_eff_lower: float | None
    n_eff_median: float | None
    n_eff_upper: float | None
    cap_share: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Copying:
    """How near a method's prompts come to captions, of the person's own and of other people's: medians of the largest cosine, and the
    shares of prompts that come nearer than `COPY`."""

    method: str
    budget: str
    writer: str
    backbone: str
    own_median: float | None
    own_share: float | None
    other_median: float | None
    other_share: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a method's units ended; `absent` units are in the plan of another method but have no row here."""

    method: str
    task: str
    budget: str
    writer: str
    backbone: str
    answered: int
    refused: int
    unparsed: int
    failed: int
    absent: int


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Units that ended the same way, with the first of their messages by key."""

    outcome: str
    code: str
    count: int
    methods: tuple[str, ...]
    writers: tuple[str, ...]
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """By `metric`, `method` is ahead of `other`; by `other_metric` it is behind."""

    task: str
    metric: str
    other_metric: str
    method: str
    other: str


@dataclass(frozen=True, slots=True)
class SamplePrompt:
    """One method's prompt for a sampled case; `note` says how the unit ended if there is no prompt."""

    method: str
    prompt: str | None
    note: str
    words: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled case, with the prompt of every method side by side."""

    person: str
    query: str
    task: str
    prompts: tuple[SamplePrompt, ...]
