"""Whether two fields of people go together more than chance: bias-corrected Cramer's V."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from engine.profiles.quality.bands import Figure
from engine.records import Profile

FIELDS = ("occupation", "culture", "age_band")
LEAST = 200
"""People with both fields known, from which V says something."""


def cramers_v(pairs: Sequence[tuple[str, str]]) -> float:
    """Bias-corrected Cramer's V (Bergsma 2013) in [0, 1]; NaN without pairs, or where either side has one value only."""
    if not pairs:
        return float("nan")
    rows, first = np.unique([pair[0] for pair in pairs], return_inverse=True)
    columns, second = np.unique([pair[1] for pair in pairs], return_inverse=True)
    n, r, k = len(pairs), len(rows), len(columns)
    if min(r, k) < 2 or n < 2:
        return float("nan")
    table = np.zeros((r, k))
    np.add.at(table, (first, second), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi2 = float(((table - expected) ** 2 / expected).sum() / n)
    corrected = max(0.0, phi2 - (r - 1) * (k - 1) / (n - 1))
    smaller = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(corrected / smaller)) if smaller > 0 else float("nan")


def association_figures(people: Sequence[Profile]) -> dict[str, Figure]:
    """V of each two of occupation, culture and age band, among the people for whom both are known."""
    return {f"{one}_{other}": _figure(people, one, other) for one, other in combinations(FIELDS, 2)}


def _figure(people: Sequence[Profile], one: str, other: str) -> Figure:
    known = [(getattr(person.demographics, one), getattr(person.demographics, other)) for person in people]
    known = [pair for pair in known if all(pair)]
    if len(known) < LEAST:
        return Figure(float("nan"), note=f"both known for {len(known)} people; judged from {LEAST} on")
    common = sorted(Counter(known).items(), key=lambda item: (-item[1], item[0]))
    return Figure(cramers_v(known), tuple(f"{first} and {second}: {count} people" for (first, second), count in common[:3]))
