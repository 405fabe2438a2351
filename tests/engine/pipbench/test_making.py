"""Pairs from outputs: complete or balanced, swapped by seed or in both orders, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from engine.pipbench.making import Orders, make_pairs

MODELS = ["a", "b", "c", "d", "e"]
OUTPUTS = {str(sample): {model: f"{model}/{sample}.png" for model in MODELS} for sample in range(60)}
PEOPLE = {str(sample): f"person-{sample // 3}" for sample in range(60)}


def test_all_pairs_of_every_sample_are_made_once_with_their_images_and_person() -> None:
    pairs = make_pairs(OUTPUTS, PEOPLE, seed=1, orders=Orders.BOTH)
    assert len(pairs) == 60 * 10
    assert Counter((pair.sample, frozenset((pair.model_a, pair.model_b))) for pair in pairs).most_common(1)[0][1] == 1
    assert [pair.id for pair in pairs] == [str(number) for number in range(600)]
    assert all(pair.flips == (False, True) for pair in pairs)
    one = pairs[123]
    assert (one.image_a, one.image_b, one.profile) == (
        f"{one.model_a}/{one.sample}.png",
        f"{one.model_b}/{one.sample}.png",
        PEOPLE[one.sample],
    )


def test_a_seeded_swap_shows_either_side_first_about_as_often_whatever_else_is_compared() -> None:
    pairs = make_pairs(OUTPUTS, PEOPLE, seed=1, orders=Orders.SWAP)
    assert all(len(pair.flips) == 1 for pair in pairs)
    assert 240 < sum(pair.flips[0] for pair in pairs) < 360
    fewer = make_pairs({name: OUTPUTS[name] for name in list(OUTPUTS)[:7]}, PEOPLE, seed=1, orders=Orders.SWAP)
    flips = {(pair.sample, pair.model_a, pair.model_b): pair.flips for pair in pairs}
    assert all(flips[pair.sample, pair.model_a, pair.model_b] == pair.flips for pair in fewer)
    assert [pair.flips for pair in make_pairs(OUTPUTS, PEOPLE, seed=2, orders=Orders.SWAP)] != [pair.flips for pair in pairs]


@pytest.mark.parametrize("per_sample", [1, 2, 3, 7])
def test_a_budget_is_shared_evenly_among_pairs_and_within_a_sample_among_models(per_sample: int) -> None:
    pairs = make_pairs(OUTPUTS, PEOPLE, seed=3, orders=Orders.SWAP, per_sample=per_sample)
    assert set(Counter(pair.sample for pair in pairs).values()) == {per_sample}
    met = Counter((pair.model_a, pair.model_b) for pair in pairs)
    assert set(met) == set(combinations(MODELS, 2))
    assert max(met.values()) - min(met.values()) <= 1
    assert pairs == make_pairs(OUTPUTS, PEOPLE, seed=3, orders=Orders.SWAP, per_sample=per_sample)
    assert pairs != make_pairs(OUTPUTS, PEOPLE, seed=4, orders=Orders.SWAP, per_sample=per_sample)


def test_samples_give_what_pairs_they_have() -> None:
    outputs = {"1": {"a": "a/1.png"}, "2": {"a": "a/2.png", "c": "c/2.png"}, "3": {}}
    (pair,) = make_pairs(outputs, {}, seed=1, orders=Orders.SWAP, per_sample=4)
    assert (pair.sample, pair.model_a, pair.model_b, pair.profile) == ("2", "a", "c", "")


def test_no_pairs_at_all_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="0 pairs"):
        make_pairs(OUTPUTS, PEOPLE, seed=1, orders=Orders.SWAP, per_sample=0)
