"""Scores of made-up people whose true means are known: what intervals are checked against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.statistics.crossing import Crossing
from engine.statistics.estimates import Floats, Integers

TRUTH = np.array([0.45, 0.50, 0.50, 0.50, 0.53])
"""True mean score of each method."""
OF_TASK = np.array([0.04, -0.02, 0.00, -0.02])
"""What each task adds to every method; 0 over all tasks."""

PERSON, PERSON_METHOD = 0.05, 0.02
FAMILY, FAMILY_METHOD = 0.03, 0.015
NOISE = 0.05
"""Standard deviations of the score of one prompt."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One data set: every person asks one query in each task. `scores` is (cases, methods)."""

    scores: Floats
    where: Crossing
    task: Integers
    task_of_family: Integers
    people: int

    def in_task(self, task: int) -> NDArray[np.bool_]:
        """The cases of one task."""
        return np.asarray(self.task == task)


def simulated(rng: np.random.Generator, people: int, families: int = 15, family: float = FAMILY) -> Simulated:
    """Draw people and query families anew: person and family effects, their own for each method, and noise.

    People's effects are skewed (a gamma of shape 4), since some people are written about far better than others.

    Args:
        rng: source of all draws.
        people: how many people.
        families: query families in each task; a person's query comes from one of them at random.
        family: standard deviation of family effects; those of a family and method are in proportion.
    """
    tasks, methods = len(OF_TASK), len(TRUTH)
    person = np.repeat(np.arange(people), tasks)
    task = np.tile(np.arange(tasks), people)
    asked = rng.integers(0, families, people * tasks) + families * task
    of_person = PERSON * (rng.gamma(4.0, 1.0, (people, 1)) - 4.0) / 2.0 + PERSON_METHOD * rng.standard_normal((people, methods))
    of_family = family * rng.standard_normal((families * tasks, 1))
    of_family = of_family + family * FAMILY_METHOD / FAMILY * rng.standard_normal((families * tasks, methods))
    noise = NOISE * rng.standard_normal((people * tasks, methods))
    scores = TRUTH + OF_TASK[task][:, None] + of_person[person] + of_family[asked] + noise
    return Simulated(scores, Crossing(person, asked), task, np.repeat(np.arange(tasks), families), people)
