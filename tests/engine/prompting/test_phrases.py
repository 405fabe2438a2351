"""Clauses split where a reader would pause, in any script, and phrases know where they came from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.prompting.phrases import Phrase, caption_source, clauses, element_source, normalised
from engine.tokens import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Steam over tea, a brass samovar; snow outside.", ("Steam over tea", "a brass samovar", "snow outside")),
        ("Shot at f/2.8, 3.5 m away.", ("Shot at f/2.8", "3.5 m away")),
        ("Near St. Paul, and a dog", ("Near St. Paul", "a dog")),
        ("一个女孩，在海边。日出", ("一个女孩", "在海边", "日出")),
        ("چای در ایوان، برف؛ شب", ("چای در ایوان", "برف", "شب")),
        ("सुबह की चाय। पुराना आँगन", ("सुबह की चाय", "पुराना आँगन")),
        ("two\n lines  here", ("two", "lines here")),
        ("«Silence.» Then rain", ("«Silence", "Then rain")),
        (" , ; . 🎈", ()),
        ("", ()),
    ],
)
def test_clauses_end_at_commas_semicolons_and_stops(text: str, expected: tuple[str, ...]) -> None:
    assert clauses(text) == expected


@given(st.text(max_size=80))
@settings(deadline=None)
def test_clauses_lose_no_token_but_a_leading_and(text: str) -> None:
    found = [token for clause in clauses(text) for token in tokens(clause)]
    assert [token for token in found if token != "and"] == [token for token in tokens(text) if token != "and"]


def test_a_source_names_kind_and_category() -> None:
    assert Phrase("x", element_source("objects", 4)).source == "element:objects:4"
    assert (Phrase("x", "element:objects:4").kind, Phrase("x", "element:objects:4").category) == ("element", "objects")
    assert (Phrase("x", caption_source(3)).kind, Phrase("x", "caption:3").category) == ("caption", "")
    assert Phrase("x", "summary").kind == "summary"


def test_texts_that_read_alike_have_one_normal_form() -> None:
    assert normalised("Red  KITE!") == normalised("red kite")
    assert normalised("🎈") != normalised("🎏")
