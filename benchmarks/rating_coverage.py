"""How often the intervals of ratings cover a known truth on simulated people, and how often peeking at a growing study misleads.

    python benchmarks/rating_coverage.py [--studies 2000] [--resamples 1000] [--seed 1]

{20, 60, 200} people x {0, .3, .6} person sd x {0, .6} swap correlation, each many studies of `simulated_verdicts`. The truth is the
estimator's own limit: the same fit on 200,000 people. `rows` are the intervals that a fit gives if all verdicts were independent. At 20
people both the scaled percentile interval and bootstrap-t, which the report uses there, are shown. Peeking: two equal entrants, looked at
after each of up to 1,000 people. The last line is one JSON object; `_se` are Monte-Carlo standard errors.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import time
from itertools import product

import numpy as np
from numpy.typing import NDArray
from simulated_verdicts import ENTRANTS, PAIRS, STRENGTH, battles_of, simulated_results

from engine.ratings.counts import count
from engine.ratings.fitting import Fitted, fit, fit_rounds
from engine.ratings.intervals import resampled
from engine.ratings.pipbench import independent_errors
from engine.ratings.sequences import FIRST_LOOK
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.confidence_sequence import half_width
from engine.statistics.estimates import FEW_CLUSTERS

PEOPLE, PERSON_SD, SWAP_CORRELATION = (20, 60, 200), (0.0, 0.3, 0.6), (0.0, 0.6)
TRUTH_PEOPLE = 200_000
M = len(ENTRANTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    line: dict[str, object] = {"studies": options.studies, "resamples": options.resamples}
    pooled: dict[str, list[float]] = {}
    for number, (sd, correlation) in enumerate(product(PERSON_SD, SWAP_CORRELATION)):
        truth = the_truth(np.random.Generator(np.random.PCG64([options.seed, number])), sd, correlation)
        for people in PEOPLE:
            rng = np.random.Generator(np.random.PCG64([options.seed, number, people]))
            found = coverage(rng, truth, people, sd, correlation, options.studies, options.resamples)
            told = {name: round(float(shares.mean()), 4) for name, shares in found.items()}
            errors = max(float(shares.std() / np.sqrt(len(shares))) for shares in found.values())
            print(f"{people:4} people, person sd {sd}, swap {correlation}: {told} +- {errors:.4f}", flush=True)
            for name, share in told.items():
                pooled.setdefault(f"{name}_{people}", []).append(share)
    for name, shares_of in pooled.items():
        line[name] = [min(shares_of), max(shares_of)]
    line["coverage_se"] = round(float(np.sqrt(0.05 * 0.95 / options.studies / M)), 4)
    sequence, fixed = false_alarms(np.random.Generator(np.random.PCG64([options.seed, 7])), options.studies, 1000)
    line |= {"false_alarms_sequence": round(sequence, 4), "false_alarms_fixed": round(fixed, 4)}
    line["seconds"] = round(time.perf_counter() - started)
    print(json.dumps(line))


def the_truth(rng: np.random.Generator, person_sd: float, swap_correlation: float, people: int = TRUTH_PEOPLE) -> Fitted:
    """The fit that studies of ever more people tend to."""
    return fit(count(battles_of(simulated_results(rng, people, person_sd, swap_correlation))))


def coverage(
    rng: np.random.Generator, truth: Fitted, people: int, person_sd: float, swap_correlation: float, studies: int, resamples: int
) -> dict[str, NDArray[np.float64]]:
    """(studies,) the share of entrants, pairs or judges whose interval covers the truth, by kind of interval."""
    found: dict[str, list[float]] = {}
    ratings = np.eye(M, truth.model.parameters)
    pairs = ratings[PAIRS[:, 0]] - ratings[PAIRS[:, 1]]
    position = np.eye(2, truth.model.parameters, k=M)
    targets = np.concatenate([ratings, pairs, position])
    parts = {"ratings": slice(0, M), "pairs": slice(M, M + len(pairs)), "position": slice(M + len(pairs), len(targets))}
    right = targets @ truth.beta
    for study in range(studies):
        fitted = fit(count(battles_of(simulated_results(rng, people, person_sd, swap_correlation))))
        bootstrap = ClusterBootstrap(people, seed=study, resamples=resamples)
        rounds = fit_rounds(fitted, bootstrap)
        defined = np.repeat(rounds.connected[:, None], len(targets), axis=1)
        clusters, n = np.full(len(targets), people), np.full(len(targets), 0)
        for name, few_under in (("", FEW_CLUSTERS),) if people >= FEW_CLUSTERS else (("", FEW_CLUSTERS), ("percentile_", 0)):
            own = resampled(fitted, rounds, bootstrap, targets, defined, n, clusters, few_under=few_under).estimates()
            covered = (own.low <= right) & (right <= own.high)
            for part, columns in parts.items():
                found.setdefault(name + part, []).append(float(covered[columns].mean()))
        off = np.abs(ratings @ fitted.beta - right[:M])
        found.setdefault("rows", []).append(float((off <= 1.96 * independent_errors(fitted)[:M]).mean()))
    return {name: np.array(shares) for name, shares in found.items()}


def false_alarms(rng: np.random.Generator, studies: int, people: int) -> tuple[float, float]:
    """Shares of studies of two equals that the sequence, and a fixed-n interval, ever call different, looked at after each person."""
    looks = np.arange(FIRST_LOOK, people + 1)
    width = np.array([half_width(1.0, int(t)) for t in looks])
    alarms = np.zeros(2)
    for _ in range(studies):
        results = simulated_results(rng, people, 0.3, 0.6, np.zeros_like(STRENGTH))
        preference = (1 - results[:, :2]) * np.array([1, -1])  # the first pair by the first judge, both orders
        mean_preference = preference.mean(axis=1)
        n = np.arange(1, people + 1)
        mean = mean_preference.cumsum() / n
        variance = ((mean_preference**2).cumsum() - n * mean**2) / np.maximum(n - 1, 1)
        off, deviation = np.abs(mean)[looks - 1], np.sqrt(variance)[looks - 1]
        alarms += [(off > width * deviation).any(), (off > 1.96 * deviation / np.sqrt(looks)).any()]
    return float(alarms[0] / studies), float(alarms[1] / studies)


if __name__ == "__main__":
    main()
