"""How fast prompts are scored, against a plain per-prompt numpy script, and whether both agree.

    python benchmarks/score.py [--people 16] [--prompts 20] [--methods 5] [--repeats 5]

A run scores the same people once for each method, in shards that one scorer process receives one after the other. Each repetition
starts a new scorer, so preparing every person is part of its time; the first shard alone, where nothing is prepared yet, is timed
as well. The last line is one JSON object.
"""

# ruff: noqa: E402

from __future__ import annotations

import os

# Before numpy loads: both sides on one thread, or the ratio would measure the machine.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable

import numpy as np
from score_reference import FIGURES, CachedPerson, score_fresh

from actors.scorer import ScoreRequest, VpttScorer
from engine.keys import seed_of
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory
from engine.outcome import Answered

ONSETS, VOWELS, CODAS = (
    ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "br"),
    "aeiou",
    ("", "n", "r", "l", "sh", "ck"),
)


def vocabulary(generator: random.Random, size: int) -> list[str]:
    """Made-up words of one to three syllables, frequent ones first."""
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = generator.choice((1, 2, 2, 3))
        words["".join(generator.choice(ONSETS) + generator.choice(VOWELS) + generator.choice(CODAS) for _ in range(syllables))] = None
    return list(words)


def sentence(generator: random.Random, words: list[str], cumulative: list[float], length: int) -> str:
    """Words drawn with a Zipf law, with the punctuation that captions have."""
    text = " ".join(generator.choices(words, cum_weights=cumulative, k=length))
    return f"{text[:1].upper()}{text[1:].replace(' st', ', st', 2)}."


def sweep(people: int, prompts: int, methods: int, captions: int = 30, dimension: int = 384) -> list[list[ScoreRequest]]:
    """A shard of `people` persons x `prompts` for each method: captions around four topics a person, prompts that borrow from them."""
    seed = seed_of("benchmark", "score")
    generator, vectors = random.Random(seed), np.random.default_rng(seed)
    words = vocabulary(generator, 4000)
    cumulative = np.cumsum(1 / np.arange(2, len(words) + 2)).tolist()
    common = vectors.normal(size=dimension)
    shards: list[list[ScoreRequest]] = [[] for _ in range(methods)]
    for person in range(people):
        topics = common + 1.2 * vectors.normal(size=(4, dimension))
        embedded = topics[vectors.integers(0, 4, captions)] + 1.3 * vectors.normal(size=(captions, dimension))
        texts = [sentence(generator, words, cumulative, generator.randint(14, 30)) for _ in range(captions)]
        reference = (common + vectors.normal(size=dimension)).astype(np.float32)
        memory = PersonMemory(f"person-{person}", tuple(texts), embedded.astype(np.float32), reference)
        for shard in shards:
            for _ in range(prompts):
                borrowed = " ".join(generator.choice(texts).split()[: generator.randint(0, 9)])
                text = f"{borrowed} {sentence(generator, words, cumulative, generator.randint(14, 40))}"
                near = embedded[vectors.integers(0, captions)] + 2 * vectors.normal(size=dimension)
                shard.append(ScoreRequest(memory, text, near.astype(np.float32)))
    return shards


def batched(shards: list[list[ScoreRequest]]) -> np.ndarray:
    """One scorer process, from nothing prepared, shard after shard."""
    scorer = VpttScorer(VpttDefinition("random@1"))
    outcomes = [outcome for shard in shards for outcome in scorer.score(shard)]
    scorer.close()
    answered = [outcome.value for outcome in outcomes if isinstance(outcome, Answered)]
    assert len(answered) == len(outcomes), "every prompt of this benchmark is valid"
    return np.array([[getattr(score, name) for name in FIGURES] for score in answered])


def fresh(shards: list[list[ScoreRequest]]) -> np.ndarray:
    """Per prompt, everything anew."""
    return np.array(
        [score_fresh(r.prompt, r.vector, r.memory.captions, r.memory.vectors, r.memory.reference) for shard in shards for r in shard]
    )


def cached(shards: list[list[ScoreRequest]]) -> np.ndarray:
    """Per prompt, with each person's decomposition, clusters and n-gram sets kept."""
    people: dict[str, CachedPerson] = {}
    rows = []
    for shard in shards:
        for request in shard:
            memory = request.memory
            if memory.key not in people:
                people[memory.key] = CachedPerson(memory.captions, memory.vectors, memory.reference)
            rows.append(people[memory.key].score(request.prompt, request.vector))
    return np.array(rows)


def main() -> None:
    """Check agreement, time the ways in turn, print medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=16, help="people in a shard")
    parser.add_argument("--prompts", type=int, default=20, help="prompts a person and method")
    parser.add_argument("--methods", type=int, default=5, help="shards of the same people that one scorer sees; VPTT compares five methods")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    shards = sweep(options.people, options.prompts, options.methods)
    count = sum(map(len, shards))
    ways: dict[str, tuple[Callable[[list[list[ScoreRequest]]], np.ndarray], list[list[ScoreRequest]]]] = {
        "script, all anew each prompt": (fresh, shards),
        "script, people kept": (cached, shards),
        "VpttScorer, all shards": (batched, shards),
        "VpttScorer, first shard only": (batched, shards[:1]),
    }
    results = [way(shards) for way in (fresh, cached, batched)]
    difference = max(float(np.abs(result - results[-1]).max()) for result in results)
    assert difference < 1e-10, f"the scorer and the reference differ by {difference}"
    each: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.repeats):
        for name, (way, work) in ways.items():
            began = time.perf_counter()
            way(work)
            each[name].append((time.perf_counter() - began) * 1e6 / sum(map(len, work)))
    print(f"{options.people} people x {options.prompts} prompts x {options.methods} methods, one thread, median of {options.repeats}")
    for name, times in each.items():
        print(f"  {name:30} {statistics.median(times):9.1f} us a prompt")

    def ratio(slow: str, fast: str) -> float:
        # Within one repetition, whose parts ran next to each other.
        return round(statistics.median(s / f for s, f in zip(each[slow], each[fast], strict=True)), 2)

    anew, kept, scorer, first = ways
    figures = {
        "score_speedup": ratio(anew, scorer),
        "score_speedup_cached": ratio(kept, scorer),
        "score_speedup_first_shard": ratio(anew, first),
        "us_per_prompt": round(statistics.median(each[scorer]), 1),
        "max_abs_difference": difference,
        "prompts": count,
        "people": options.people,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
