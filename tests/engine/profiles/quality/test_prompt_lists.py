"""The figures of a real prompt list, and how easily people are told from it."""

from dataclasses import replace

import numpy as np
import pytest

from engine.profiles.grammar import build_profiles
from engine.profiles.quality.prompt_lists import prompt_list_figures
from engine.profiles.quality.realism import realism
from engine.profiles.quality.standard import BANDS
from engine.records import Query


def queries(count, families=("animals", "food")):
    return [
        Query(f"q{n}", "t", family, "", f"a {word} number {n} near the {family}")
        for n in range(count)
        for family, word in [(families[n % len(families)], "kite" if n % 3 else "bowl")]
    ]


def test_thirty_prompts_of_a_family_stand_for_a_person_and_all_prompts_for_the_corpus():
    listed = queries(130)
    figures = prompt_list_figures(listed, np.random.default_rng(0).standard_normal((130, 40)))
    assert figures["distinct_words"].value == len({word for query in listed for word in query.text.split()})
    assert abs(figures["between_cosine"].value) < 0.05
    assert set(figures) <= {band.figure for band in BANDS}


def test_a_list_without_families_or_too_short_has_no_figures_of_people():
    figures = prompt_list_figures(queries(130, [""]), np.eye(130))
    assert np.isnan(figures["between_cosine"].value)
    assert figures["loo_gs"].value == pytest.approx(0, abs=1e-6)
    assert np.isnan(prompt_list_figures(queries(10), np.eye(10))["loo_gs"].value)


def test_captions_and_prompts_of_another_kind_are_told_apart_and_the_features_say_by_what():
    people = list(build_profiles(10, 0))
    found = realism(people, [f"oil painting of the number {n} in neon" for n in range(120)])
    assert found is not None
    assert found.auc > 0.99
    assert found.texts == 120
    assert {"painting", "neon"} & set(found.of_prompts)


def test_captions_of_the_same_builder_on_both_sides_cannot_be_told_apart():
    people = [replace(person, captions=person.captions[:1]) for person in build_profiles(240, 0)]
    found = realism(people[:120], [person.captions[0].text for person in people[120:]])
    assert found is not None
    assert found.auc == pytest.approx(0.5, abs=0.12)


def test_too_few_texts_give_no_figure():
    assert realism(list(build_profiles(1, 0)), ["a kite"] * 100) is None
