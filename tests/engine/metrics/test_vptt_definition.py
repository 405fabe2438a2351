"""The definition pins every choice, and its id says so."""

from dataclasses import replace

import pytest

from engine.errors import ConfigError
from engine.keys import canonical
from engine.metrics.definition import VpttDefinition, Weights

DEFINITION = VpttDefinition("minilm-l6-v2@53aa5117")


def test_id_is_readable_and_pinned() -> None:
    # A changed id without a changed version would let incomparable scores meet: change VERSION when this has to change.
    assert DEFINITION.id == "vptt-1:minilm-l6-v2@53aa5117:cp-unit:8d5253a5e655"


@pytest.mark.parametrize(
    "change",
    [
        {"encoder": "minilm-l6-v2@00000000"},
        {"cp": "cp-literal"},
        {"tolerance": 1e-4},
        {"zero_norm": 1e-10},
        {"max_clusters": 6},
        {"max_rounds": 50},
        {"ngram": 2},
        {"weights": Weights(0.25, 0.25, 0.25, 0.25)},
    ],
)
def test_every_choice_changes_the_id_and_is_named(change: dict) -> None:
    other = replace(DEFINITION, **change)
    assert other.id != DEFINITION.id
    assert list(DEFINITION.differences(other)) == list(change)


def test_equal_choices_give_equal_ids_and_no_differences() -> None:
    twin = VpttDefinition("minilm-l6-v2@53aa5117")
    assert twin.id == DEFINITION.id
    assert DEFINITION.differences(twin) == {}


def test_recipe_is_json() -> None:
    assert b'"encoder":"minilm-l6-v2@53aa5117"' in canonical(DEFINITION.recipe())


@pytest.mark.parametrize(
    "change",
    [
        {"encoder": " "},
        {"cp": "cp-other"},
        {"tolerance": 0.0},
        {"tolerance": float("nan")},
        {"clusters": "k-means++"},
        {"token_rule": "tokens-0"},
        {"version": "vptt-0"},
        {"ngram": 0},
        {"max_clusters": 0},
    ],
)
def test_rules_that_are_not_implemented_are_refused(change: dict) -> None:
    with pytest.raises(ConfigError, match=next(iter(change))):
        replace(DEFINITION, **change)


@pytest.mark.parametrize("weights", [(0.2, 0.3, 0.3, 0.3), (-0.1, 0.4, 0.4, 0.3), (float("nan"), 0.3, 0.3, 0.2)])
def test_weights_must_be_shares_of_one(weights: tuple) -> None:
    with pytest.raises(ConfigError, match="shares of one"):
        Weights(*weights)
