"""How many elements of a category each selected post may give: water-filling with largest remainders, and the paper's formula.

    x_i = n_i min(1, l w_i), sum x = T = min(Q, sum n)     ours: no post is asked for more than it has
    x_i = Q n_i w_i / sum_j n_j w_j                        the paper's, which can ask for more

Source: METRICS, VPRAG. The quota is not monotone in Q, a known property of largest remainders.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, fsum

_DIGITS = 9
"""Shares are rounded to 1e-9 before they are compared, so that equal posts tie on every machine."""


def quota(weights: Sequence[float], counts: Sequence[int], q: int) -> tuple[int, ...]:
    """Elements asked of each post: T = min(q, sum of counts) in all, never more than a post has.

    `weights` (k,) non-negative, `counts` (k,) elements in each post. Posts of weight 0 fill last, each to capacity in index order.
    Raises ValueError for lengths that differ, negative or non-finite values. Source: METRICS, VPRAG (ours).
    """
    _check(weights, counts, q)
    given = [0] * len(counts)
    positive = [i for i, weight in enumerate(weights) if weight > 0 and counts[i] > 0]
    weighted = min(q, sum(counts[i] for i in positive))
    shares = water_fill([weights[i] for i in positive], [counts[i] for i in positive], weighted)
    for i, whole in zip(positive, largest_remainders(shares, [weights[i] for i in positive], weighted), strict=True):
        given[i] = whole
    left = min(q, sum(counts)) - weighted
    for i, weight in enumerate(weights):
        if weight == 0 and left > 0:
            given[i] = min(counts[i], left)
            left -= given[i]
    return tuple(given)


def quota_paper(weights: Sequence[float], counts: Sequence[int], q: int) -> tuple[tuple[int, ...], int]:
    """The paper's quotas, each cut to what the post has, and how many elements were asked for in vain.

    Shapes and errors as `quota`. All quotas are 0 where every n_i w_i is 0. Source: METRICS, VPRAG (`quota-paper`).
    """
    _check(weights, counts, q)
    peak = max(weights, default=0.0) or 1.0
    mass = [count * (weight / peak) for weight, count in zip(weights, counts, strict=True)]
    total = fsum(mass)
    if total == 0:
        return (0,) * len(counts), 0
    asked = largest_remainders([q * share / total for share in mass], weights, q)
    cut = tuple(min(ask, count) for ask, count in zip(asked, counts, strict=True))
    return cut, sum(asked) - sum(cut)


def water_fill(weights: Sequence[float], counts: Sequence[int], total: int) -> list[float]:
    """Shares x_i = n_i min(1, l w_i) with l such that they sum to `total`; all weights positive, `total` <= sum of counts.

    The heaviest posts fill first: a post that would overflow is set to capacity and the rest is shared anew.
    """
    shares = [0.0] * len(counts)
    order = sorted(range(len(counts)), key=lambda i: -weights[i])
    left = total
    for place, heaviest in enumerate(order):
        rest = order[place:]
        # Scaled by the heaviest, so that tiny weights neither vanish nor overflow.
        scaled = [counts[i] * (weights[i] / weights[heaviest]) for i in rest]
        level = left / fsum(scaled)
        if level < 1:
            for i, mass in zip(rest, scaled, strict=True):
                shares[i] = level * mass
            break
        shares[heaviest] = float(counts[heaviest])
        left -= counts[heaviest]
    return shares


def largest_remainders(shares: Sequence[float], weights: Sequence[float], total: int) -> list[int]:
    """Whole numbers that sum to `total`: floors, then one each to the largest remainders (ties: larger weight, then lower index)."""
    rounded = [round(share, _DIGITS) for share in shares]
    whole = [floor(share) for share in rounded]
    remainder = [round(share - base, _DIGITS) for share, base in zip(rounded, whole, strict=True)]
    order = sorted(range(len(whole)), key=lambda i: (-remainder[i], -weights[i], i))
    for i in order[: total - sum(whole)]:
        whole[i] += 1
    return whole


def _check(weights: Sequence[float], counts: Sequence[int], q: int) -> None:
    if len(weights) != len(counts):
        raise ValueError(f"{len(weights)} weights for {len(counts)} counts")
    if q < 0 or any(count < 0 for count in counts) or not all(0 <= weight < float("inf") for weight in weights):
        raise ValueError(f"weights, counts and Q must be finite and not negative: {list(weights)}, {list(counts)}, {q}")
