"""How often a judge prefers what the majority of humans prefers (PIPBench reports 91 %), under three rules for ties.

accuracy-decided  only items where judge and majority both prefer one entrant: the share of the same preference
accuracy-half     a tie against a preference counts half, two ties are the same answer
accuracy-strict   three answers, and only the same one counts

An item where no answer has more than half of the humans' votes has no majority: it is left out of all three, and counted. It is agreement
with people, not success at personalization, and says nothing of any subgroup (PIPBench, evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.agreement.figure import Figure, of_estimates
from engine.agreement.preferences import Preferences
from engine.statistics.shares import people_share

DECIDED, HALF, STRICT = "accuracy-decided", "accuracy-half", "accuracy-strict"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A judge's accuracy by rule (see the module); each `n` counts items.

    `items` have a verdict of the judge and a vote of some human; in `undecided` of them the humans have no majority, in `judge_ties` and
    `human_ties` of the others the judge, or the majority, prefers none.
    """

    by_rule: dict[str, Figure]
    items: int
    undecided: int
    judge_ties: int
    human_ties: int


def accuracy(given: Preferences, judge: int, humans: Sequence[int]) -> Accuracy:
    """Accuracy of `judge` against the majority of `humans`, indices of judges; with one annotator as judge, a human's against the others.

    A judge that contradicts itself between the orders of a pair has answered a tie. Raises ValueError if the judge is among the humans.
    """
    if judge in humans:
        raise ValueError(f"{given.judges[judge]} cannot be measured against itself")
    answered = (given.votes[judge].sum(axis=1) > 0) & (given.votes[list(humans)].sum(axis=(0, 2)) > 0)
    said, majority = given.verdict(judge)[answered], given.majority(humans)[answered]
    cluster = given.cluster[answered]
    settled = np.isfinite(majority)
    distance = np.abs(said - majority)
    values = {
        DECIDED: np.where((said != 0) & (majority != 0), distance == 0, np.nan),
        HALF: 1 - distance / 2,
        STRICT: (distance == 0) * 1.0,
    }
    return Accuracy(
        {rule: of_estimates(people_share(cluster, np.where(settled, value, np.nan))) for rule, value in values.items()},
        len(said),
        int((~settled).sum()),
        int((said[settled] == 0).sum()),
        int((majority[settled] == 0).sum()),
    )
