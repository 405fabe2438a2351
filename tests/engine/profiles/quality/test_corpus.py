"""Figures of words, elements and fields."""

import numpy as np
import pytest

from engine.profiles.quality.association import association_figures, cramers_v
from engine.profiles.quality.lexicon import element_figures
from engine.profiles.quality.wording import wording_figures
from engine.records import Caption, Demographics, Element, Profile


def person(name, elements, captions=(), **fields):
    return Profile(name, Demographics(**fields), "", "", tuple(Element(*element) for element in elements), tuple(captions), name, "test")


def test_words_lengths_and_duplicates():
    figures = wording_figures(["A red kite.", "a RED kite", "One two three four five"])
    assert figures["distinct_words"].value == 8
    assert figures["length_sd"].value == pytest.approx(np.std([3, 3, 5]))
    assert figures["duplicate_captions"].value == pytest.approx(1 / 3)
    assert figures["duplicate_captions"].examples == ("2 times: a red kite",)


def test_a_shared_colour_is_no_shared_element():
    people = [
        person("a", [("colour", "red"), ("objects", "Brass samovar"), ("objects", "kite")]),
        person("b", [("colour", "red"), ("objects", "brass samovar")]),
    ]
    figure = element_figures(people)["shared_element"]
    assert figure.value == 1
    assert figure.examples[0].startswith("brass samovar")


def test_element_lengths_and_captions_that_name_none():
    captions = [Caption("kite", "", (Element("objects", "kite"),)), Caption("bare")]
    figures = element_figures([person("a", [("objects", "kite"), ("objects", "a very long red silk kite")], captions)])
    assert figures["long_elements"].value == 0.5
    assert figures["longest_element"].value == 6
    assert figures["captions_with_elements"].value == 0.5
    assert figures["captions_with_elements"].examples == ("a: bare",)


def test_people_without_elements_have_no_figure_of_them():
    assert np.isnan(element_figures([person("a", [])])["long_elements"].value)


def test_bias_corrected_v_of_a_table_done_by_hand():
    # (10, 20; 30, 40): phi2 = 1/126 with n = 100; corrected by 1/99 below 0.
    assert cramers_v([("a", "x")] * 10 + [("a", "y")] * 20 + [("b", "x")] * 30 + [("b", "y")] * 40) == 0
    # (40, 10; 10, 40): phi2 = .36; (.36 - 1/99) / (2 - 1/99 - 1) = .353469...; its root.
    pairs = [("a", "x")] * 40 + [("a", "y")] * 10 + [("b", "x")] * 10 + [("b", "y")] * 40
    assert cramers_v(pairs) == pytest.approx(np.sqrt((0.36 - 1 / 99) / (1 - 1 / 99)))


def test_v_finds_dependence_and_not_the_size_of_the_table():
    generator = np.random.default_rng(0)
    apart = [(f"{a}", f"{b}") for a, b in generator.integers(0, 40, (1000, 2))]
    assert cramers_v(apart) < 0.1
    assert cramers_v([(one, one) for one, _ in apart]) == pytest.approx(1)
    assert np.isnan(cramers_v([]))
    assert np.isnan(cramers_v([("a", "b"), ("a", "c")]))


def test_unknown_fields_are_left_out_and_few_known_ones_not_judged():
    people = [person(f"{n}", [], occupation="welder" if n % 2 else "", culture="Zulu", age_band="25-34") for n in range(300)]
    figure = association_figures(people)["occupation_culture"]
    assert np.isnan(figure.value)
    assert "150" in figure.note
