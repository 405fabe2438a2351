"""Real assembled prompts of built people; `python -m jobs.tiny_scenes check` measures the same on 200."""

import pytest

from actors.tiny_scenes.following import follow_prompts
from actors.tiny_scenes.prompts import COMPARED, assembled_prompts


@pytest.fixture(scope="module")
def asked():
    return assembled_prompts(7, seed=21)


@pytest.fixture(scope="module")
def measured(pipe, checker, asked):
    return follow_prompts(pipe, checker, asked, steps=10, guidance=2.0)


def test_each_method_wrote_a_prompt_of_its_own(asked):
    assert len(asked) == 14
    for each in asked:
        assert set(each.prompts) == set(COMPARED)
        assert len(set(each.prompts.values())) == len(COMPARED)


@pytest.mark.parametrize("attribute", ["object", "background", "palette"])
def test_named_elements_appear_at_twice_chance(measured, attribute):
    assert measured[f"named.{attribute}"] >= 2 * measured[f"chance.{attribute}"], measured


def test_methods_and_seeds_make_different_images(measured):
    assert measured["methods"] >= 0.9, measured
    assert measured["seeds"] == 1, measured
