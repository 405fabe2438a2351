"""How fast ratings are fitted and bootstrapped over people, beside evalica on the same data, and how much memory 10 million verdicts take.

    python benchmarks/ratings.py [--verdicts 200000] [--people 1000] [--rounds 1000] [--repeats 5]

12 entrants, 3 judges with position and tie terms, every pair in both orders. `fit_s` counts verdicts and fits the headline model;
`bootstrap_s` and `headline_bootstrap_s` count, draw the resamples of people, fit and refit each of them: for Bradley-Terry with ties as
half wins, and for the headline model. evalica refits Bradley-Terry on the same resamples, which it is given as weights of the verdicts, one
round after another: a few are timed and multiplied, for 1,000 would take minutes. `speedup_evalica_counted` is the same with evalica given
our counts instead of the verdicts. `memory_mb_10m` is the peak of a process of its own that holds 10 million verdicts, fits and bootstraps
both models. Times are medians. The last line is one JSON object.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

# Before numpy loads: both sides on one thread, or the ratio would measure the machine.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.ratings.counts import RESULTS, Counts, count
from engine.ratings.fitting import Rounds, fit, fit_rounds
from engine.ratings.scale import POINTS
from engine.statistics.cluster_bootstrap import ClusterBootstrap

ENTRANTS = tuple(f"entrant-{number:02}" for number in range(12))
JUDGES = ("one", "two", "three")
STRENGTH = np.linspace(0.9, -0.9, len(ENTRANTS))
POSITION, NU = np.array([0.4, -0.2, 0.1]), np.array([0.5, 0.2, 0.05])
_AT_ONCE = 500_000


def study(verdicts: int, people: int, seed: int = 1) -> Battles:
    """Simulated verdicts, two orders of a pair next to each other, people one after the other."""
    rng = np.random.Generator(np.random.PCG64(seed))
    first, second, judge, result = (np.empty(verdicts, dtype=np.int64) for _ in range(4))
    for start in range(0, verdicts, _AT_ONCE):
        some = slice(start, min(start + _AT_ONCE, verdicts))
        units = (some.stop - some.start) // 2
        one = rng.integers(0, len(ENTRANTS), units)
        two = (one + rng.integers(1, len(ENTRANTS), units)) % len(ENTRANTS)
        first[some], second[some] = np.stack([one, two], 1).ravel(), np.stack([two, one], 1).ravel()
        judge[some] = np.repeat(rng.integers(0, len(JUDGES), units), 2)
        up = np.exp((STRENGTH[first[some]] - STRENGTH[second[some]] + POSITION[judge[some]]) / 2)
        total, drawn = up + 1 / up + NU[judge[some]], rng.random(2 * units)
        result[some] = np.where(drawn < up / total, FIRST, np.where(drawn < 1 - 1 / up / total, TIE, SECOND))
    row = np.arange(verdicts)
    return Battles(ENTRANTS, JUDGES, tuple(map(str, range(people))), row * people // verdicts, judge, first, second, result, row // 2)


def bootstrapped(battles: Battles, rounds: int, headline: bool) -> Rounds:
    """Count, draw resamples, fit, refit."""
    bootstrap = ClusterBootstrap(len(battles.clusters), seed=7, resamples=rounds)
    return fit_rounds(fit(count(battles), position=headline, ties=headline), bootstrap)


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Median time of `repeats` calls, after one to warm up."""
    work()
    return statistics.median(seconds(work) for _ in range(repeats))


class Evalica:
    """One round of evalica's Bradley-Terry with the verdicts as weighted rows; names are looked up once, outside of the timed part."""

    def __init__(self, first: NDArray[np.int64], second: NDArray[np.int64], result: NDArray[np.int64]) -> None:
        import evalica
        import pandas as pd

        winner = {FIRST: evalica.Winner.X, TIE: evalica.Winner.Draw, SECOND: evalica.Winner.Y}
        self.fit, self.index = evalica.bradley_terry, pd.Index(range(len(ENTRANTS)))
        self.xs, self.ys, self.winners = first.tolist(), second.tolist(), [winner[int(one)] for one in result]

    def ratings(self, weights: NDArray[np.float64], **options: float) -> NDArray[np.float64]:
        """(entrants,) in points around 0."""
        found = self.fit(self.xs, self.ys, self.winners, index=self.index, weights=weights, **options)
        scores = np.log(found.scores.reindex(self.index).to_numpy(dtype=np.float64))
        return POINTS * (scores - scores.mean())


def evalica_on_counts(counts: Counts) -> tuple[Evalica, NDArray[np.float64]]:
    """evalica given each kind of verdict once, and how often each cluster has it: (clusters, kinds)."""
    kinds = np.tile(np.arange(RESULTS), len(counts.judge))
    return Evalica(np.repeat(counts.first, RESULTS), np.repeat(counts.second, RESULTS), kinds), counts.per_cluster.toarray()


def peak_of(verdicts: int) -> dict[str, float]:
    """Memory and time of a process of its own that holds `verdicts` verdicts."""
    told = subprocess.run([sys.executable, __file__, "--alone", str(verdicts)], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return found


def alone(verdicts: int) -> None:
    """Fit and bootstrap both models on `verdicts` verdicts of 10,000 people, and print what that took."""
    battles = study(verdicts, 10_000)
    started = time.perf_counter()
    found = [bool(bootstrapped(battles, 1000, headline).found.all()) for headline in (False, True)]
    took = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"memory_mb": round(peak), "seconds": round(took, 2), "found": all(found)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, default in (("verdicts", 200_000), ("people", 1000), ("rounds", 1000), ("repeats", 5), ("evalica-rounds", 5), ("alone", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return
    battles = study(options.verdicts, options.people)
    fit_s = median_seconds(lambda: fit(count(battles)), options.repeats)
    plain_s = median_seconds(lambda: bootstrapped(battles, options.rounds, headline=False), options.repeats)
    headline_s = median_seconds(lambda: bootstrapped(battles, options.rounds, headline=True), options.repeats)
    print(f"one fit {fit_s:.3f} s; {options.rounds} rounds: Bradley-Terry {plain_s:.3f} s, headline {headline_s:.3f} s")
    draws = ClusterBootstrap(options.people, seed=7, resamples=options.rounds).weights[: options.evalica_rounds].astype(np.float64)
    theirs = Evalica(battles.first, battles.second, battles.result)
    per_round = statistics.median(seconds(theirs.ratings, draw[battles.cluster]) for draw in draws)
    counted, kinds = evalica_on_counts(count(battles))
    per_counted = statistics.median(seconds(counted.ratings, draw @ kinds) for draw in draws)
    ours = POINTS * bootstrapped(battles, options.rounds, headline=False).beta[0]
    off = np.abs(ours - theirs.ratings(draws[0][battles.cluster], tolerance=1e-12, limit=10_000)).max()
    print(f"evalica: {per_round:.3f} s a round of verdicts, {per_counted:.5f} s a round of counts; ratings differ by {off:.1e} points")
    large = peak_of(10_000_000)
    line = {
        "verdicts": options.verdicts,
        "rounds": options.rounds,
        "fit_s": round(fit_s, 4),
        "bootstrap_s": round(plain_s, 3),
        "headline_bootstrap_s": round(headline_s, 3),
        "speedup_evalica": round(per_round * options.rounds / plain_s),
        "speedup_evalica_counted": round(per_counted * options.rounds / plain_s, 1),
        "difference_points": float(f"{off:.1e}"),
        "memory_mb_10m": large["memory_mb"],
        "seconds_10m": large["seconds"],
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
