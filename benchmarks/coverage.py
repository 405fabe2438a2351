"""How often intervals cover a known truth, and how often Holm rejects a true null, on simulated people and query families.

    python benchmarks/coverage.py [--datasets 1000] [--resamples 1000] [--seed 1]

Each data set draws 60 or 200 people and 15 query families in each of 4 tasks anew; every person asks one query in each task. Means and
paired differences are taken over all tasks (60 families: percentile intervals) and in one task (15 families: bootstrap-t). Family error
is the share of data sets in which any true null among the pairs of methods is rejected at 5 %: once with all methods equal, once with
those equal that are so in the simulation. The last line is one JSON object; `_se` are Monte-Carlo standard errors.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from simulated_scores import OF_TASK, TRUTH, Simulated, simulated

from engine.statistics.estimates import Resampled
from engine.statistics.simultaneous import family_of
from engine.statistics.two_way import TwoWayBootstrap

PAIRS = np.array(list(combinations(range(len(TRUTH)), 2)))
LEAD = TRUTH[PAIRS[:, 0]] - TRUTH[PAIRS[:, 1]]


def one_data_set(data: Simulated, bootstrap: TwoWayBootstrap, one_task: bool) -> dict[str, float]:
    """What of one data set was covered or rejected: each figure is a share between 0 and 1."""
    chosen = data.in_task(0) if one_task else np.ones(len(data.scores), dtype=np.bool_)
    scores, where = data.scores[chosen], data.where.of(chosen)
    means = bootstrap.mean(where, scores)
    pairs = bootstrap.resampled(where, scores[:, PAIRS[:, 0]] - scores[:, PAIRS[:, 1]])
    truth = TRUTH + (OF_TASK[0] if one_task else 0.0)
    own, family = pairs.estimates(), family_of(pairs)
    all_equal = family_of(without_lead(pairs))
    return {
        "means": float(((means.low <= truth) & (truth <= means.high)).mean()),
        "differences": float(((own.low <= LEAD) & (own.high >= LEAD)).mean()),
        "simultaneous": float(((family.low <= LEAD) & (family.high >= LEAD)).all()),
        "holm_all_equal": float((all_equal.holm <= 0.05).any()),
        "holm_some_equal": float((family.holm[LEAD == 0] <= 0.05).any()),
        "power": float((family.holm[LEAD != 0] <= 0.05).mean()),
    }


def without_lead(pairs: Resampled) -> Resampled:
    """The same data if all methods were equal."""
    return replace(pairs, mean=pairs.mean - LEAD)


def simulate(people: int, datasets: int, resamples: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Figures of every data set, over all tasks and, with the prefix `task_`, in one."""
    rng = np.random.Generator(np.random.PCG64([seed, people]))
    found: dict[str, list[float]] = {}
    for number in range(datasets):
        data = simulated(rng, people)
        bootstrap = TwoWayBootstrap(people, data.task_of_family, seed=number, resamples=resamples)
        for prefix, one_task in (("", False), ("task_", True)):
            for name, share in one_data_set(data, bootstrap, one_task).items():
                found.setdefault(prefix + name, []).append(share)
    return {name: np.array(shares) for name, shares in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    line: dict[str, object] = {"datasets": options.datasets, "resamples": options.resamples}
    family_errors: list[float] = []
    simultaneous: list[float] = []
    for people in (60, 200):
        started = time.perf_counter()
        found = simulate(people, options.datasets, options.resamples, options.seed)
        print(f"{people} people: {time.perf_counter() - started:.0f} s")
        for name, shares in found.items():
            print(f"  {name:22} {shares.mean():.4f} +- {standard_error(shares):.4f}")
        covered = {name: found[name] for name in ("means", "differences", "task_means", "task_differences")}
        line[f"coverage_{people}"] = {name: round(float(shares.mean()), 4) for name, shares in covered.items()}
        line[f"coverage_{people}_se"] = {name: round(standard_error(shares), 4) for name, shares in covered.items()}
        family_errors += [float(shares.mean()) for name, shares in found.items() if "holm" in name]
        simultaneous += [float(found[name].mean()) for name in ("simultaneous", "task_simultaneous")]
    line["holm_family_error"] = round(max(family_errors), 4)
    line["simultaneous_coverage"] = [round(share, 4) for share in simultaneous]
    line["family_se"] = round(float(np.sqrt(0.05 * 0.95 / options.datasets)), 4)
    print(json.dumps(line))


def standard_error(shares: NDArray[np.float64]) -> float:
    return float(shares.std(ddof=1) / np.sqrt(len(shares)))


if __name__ == "__main__":
    main()
