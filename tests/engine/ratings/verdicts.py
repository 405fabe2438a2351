"""Verdicts for tests, written down or drawn from a known model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.ratings.battles import FIRST, SECOND, TIE, Battles


def told(lines: str, *, times: int = 1, people: Sequence[int] | None = None, judges: Sequence[int] | None = None) -> Battles:
    """Verdicts of lines like `A>B`, `A=B` or `A<B`, the side shown first written first; a number in front repeats one.

    Each is its own person's by judge 0, unless `people` and `judges` say otherwise for each verdict.
    """
    rows: list[tuple[str, str, int]] = []
    for word in lines.split() * times:
        number = "".join(letter for letter in word if letter.isdigit())
        one, sign, two = word[len(number) :]
        rows += [(one, two, {">": FIRST, "=": TIE, "<": SECOND}[sign])] * int(number or 1)
    names = sorted({name for one, two, _ in rows for name in (one, two)})
    cluster = np.arange(len(rows)) if people is None else np.array(people)
    judge = np.zeros(len(rows), dtype=np.int64) if judges is None else np.array(judges)
    first, second = (np.array([names.index(row[side]) for row in rows]) for side in (0, 1))
    result, pair = np.array([row[2] for row in rows]), np.full(len(rows), -1)
    known = tuple(f"judge {number}" for number in range(judge.max() + 1))
    return Battles(tuple(names), known, tuple(map(str, range(cluster.max() + 1))), cluster, judge, first, second, result, pair)


def drawn(
    seed: int,
    people: int,
    pairs: int,
    strength: Sequence[float],
    position: Sequence[float] = (0.4, -0.2),
    nu: Sequence[float] = (0.5, 0.2),
) -> Battles:
    """Verdicts of the model itself: every person and judge sees `pairs` random pairs in both orders."""
    rng = np.random.Generator(np.random.PCG64(seed))
    judges, units = len(position), people * len(position) * pairs
    one = rng.integers(0, len(strength), units)
    two = (one + rng.integers(1, len(strength), units)) % len(strength)
    first, second = np.stack([one, two], axis=1).ravel(), np.stack([two, one], axis=1).ravel()
    judge = np.repeat(np.tile(np.arange(judges), units // judges), 2)
    up = np.exp((np.array(strength)[first] - np.array(strength)[second] + np.array(position)[judge]) / 2)
    total, noise = up + 1 / up + np.array(nu)[judge], rng.random(2 * units)
    result = np.where(noise < up / total, FIRST, np.where(noise < 1 - 1 / up / total, TIE, SECOND))
    cluster = np.repeat(np.arange(people), units // people * 2)
    names = tuple(f"e{number}" for number in range(len(strength)))
    pair = np.repeat(np.arange(units), 2)
    known = tuple(f"judge {number}" for number in range(judges))
    return Battles(names, known, tuple(map(str, range(people))), cluster, judge, first, second, result, pair)


def taken(battles: Battles, rows: NDArray[np.int64]) -> Battles:
    """The verdicts at `rows`, in that order and as often as they are named."""
    columns = (column[rows] for column in (battles.cluster, battles.judge, battles.first, battles.second, battles.result, battles.pair))
    return Battles(battles.entrants, battles.judges, battles.clusters, *columns)
