"""What judges do whatever the strengths: how often they tie, favour a side, and change their mind when the order is swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.ratings.swapped import swap_pairs
from engine.statistics.estimates import Estimates, Floats, Integers
from engine.statistics.shares import people_share


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """Shares of each judge's verdicts (judges,), with intervals by profile; NaN where a judge has none.

    `tie`: verdicts that are ties. `first`: verdicts for the side shown first, a tie half; what strengths do not explain of it is the
    position term. `flip`: pairs of which the two orders preferred opposite entrants. `consistency`: pairs with the same verdict in both.
    `always` names the one answer that a judge gives, for those that give no other.
    """

    judges: tuple[str, ...]
    tie: Estimates
    first: Estimates
    flip: Estimates
    consistency: Estimates
    always: tuple[str | None, ...]


_ANSWERS = {FIRST: "first", TIE: "tie", SECOND: "second"}


def judge_rates(battles: Battles) -> JudgeRates:
    """Tie, first-side, flip and consistency rates of each judge."""
    pairs = swap_pairs(battles)
    rows: dict[str, list[Estimates]] = {"tie": [], "first": [], "flip": [], "consistency": []}
    always: list[str | None] = []
    for judge in range(len(battles.judges)):
        own = battles.judge == judge
        cluster, result = battles.cluster[own], battles.result[own]
        swapped = pairs.of(pairs.judge == judge)
        rows["tie"].append(people_share(cluster, (result == TIE).astype(np.float64)))
        rows["first"].append(people_share(cluster, 1 - result / 2))
        rows["flip"].append(people_share(swapped.cluster, swapped.flipped.astype(np.float64)))
        rows["consistency"].append(people_share(swapped.cluster, swapped.consistent.astype(np.float64)))
        given = np.unique(result)
        always.append(_ANSWERS[int(given[0])] if len(given) == 1 else None)
    tie, first, flip, consistency = (joined(found) for found in rows.values())
    return JudgeRates(battles.judges, tie, first, flip, consistency, tuple(always))


def joined(found: list[Estimates]) -> Estimates:
    """Estimates one after another."""

    def floats(name: str) -> Floats:
        return np.concatenate([np.zeros(0), *(getattr(part, name) for part in found)])

    def integers(name: str) -> Integers:
        return np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(part, name) for part in found)])

    return Estimates(floats("mean"), floats("low"), floats("high"), integers("n"), integers("clusters"), integers("families"))
