"""Pairs to compare, from the outputs of several models: all pairs of a sample, or a balanced share of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import combinations

from engine.keys import seed_of
from engine.pipbench.pair_files import Pair


class Orders(StrEnum):
    """Which side a judge sees first: a seeded draw for each pair, as PIPBench does, or both orders, one after the other."""

    SWAP = "swap"
    BOTH = "both"


def make_pairs(
    outputs: Mapping[str, Mapping[str, str]], people: Mapping[str, str], *, seed: int, orders: Orders, per_sample: int | None = None
) -> tuple[Pair, ...]:
    """The pairs of `outputs`, image path by sample and model, with ids from 0.

    Args:
        outputs: samples with the image of each model that has one; samples with fewer than two give no pair.
        people: the person of each sample; "" for one that is not there.
        seed: of the draws. Which side of a pair is first depends on nothing but it, the sample and the two models.
        orders: a seeded swap or both orders.
        per_sample: pairs of each sample at most; all of them if left out. Over all samples each two models then meet about equally often,
            and within a sample no model is taken again while another has not met anybody.

    Raises ValueError for less than one pair a sample.
    """
    if per_sample is not None and per_sample < 1:
        raise ValueError(f"{per_sample} pairs a sample are none")
    return tuple(
        Pair(str(number), one, other, outputs[sample][one], outputs[sample][other], sample, people.get(sample, ""), flips)
        for number, (sample, one, other) in enumerate(_chosen(outputs, seed, per_sample))
        for flips in [(False, True) if orders is Orders.BOTH else (_draw(seed, "swap", sample, one, other) % 2 == 1,)]
    )


def _chosen(outputs: Mapping[str, Mapping[str, str]], seed: int, per_sample: int | None) -> Iterator[tuple[str, str, str]]:
    met: Counter[tuple[str, str]] = Counter()
    places = list(outputs)
    if per_sample is not None:
        random.Random(seed).shuffle(places)
    found: dict[str, list[tuple[str, str]]] = {}
    for sample in places:
        pairs = list(combinations(sorted(outputs[sample]), 2))
        found[sample] = pairs if per_sample is None else _balanced(pairs, met, min(per_sample, len(pairs)), seed, sample)
    for sample in outputs:
        yield from ((sample, one, other) for one, other in sorted(found[sample]))


def _balanced(pairs: list[tuple[str, str]], met: Counter[tuple[str, str]], count: int, seed: int, sample: str) -> list[tuple[str, str]]:
    taken: list[tuple[str, str]] = []
    seen: Counter[str] = Counter()
    for _ in range(count):
        left = (pair for pair in pairs if pair not in taken)
        best = min(left, key=lambda pair: (met[pair], seen[pair[0]] + seen[pair[1]], _draw(seed, "order", sample, *pair)))
        taken.append(best)
        met[best] += 1
        seen.update(best)
    return taken


def _draw(seed: int, *parts: str) -> int:
    return seed_of(str(seed), *parts)
