"""The pieces of a model's prompt are what stands in it word for word, from the query and the method's material."""

from __future__ import annotations

from engine.prompting.budget import PRESETS
from engine.prompting.phrases import Phrase
from engine.prompting.pieces import standing_in
from engine.prompting.writing import WriteRequest
from engine.records import Query

PHRASES = (
    Phrase("brass samovar", "element:objects:4"),
    Phrase("Brass samovar,", "caption:2"),
    Phrase("a retired weaver", "summary"),
    Phrase("samovar", "element:objects:1"),
    Phrase("am", "summary"),
    Phrase("🎈", "element:objects:0"),
    Phrase("茶壶", "caption:1"),
)
REQUEST = WriteRequest("unit", "vprag", Query("q", "social-generation", "park", "broad", "In the park"), PHRASES, PRESETS["q3"])


def test_pieces_come_in_prompt_order_whatever_their_case_and_punctuation() -> None:
    found = standing_in("A Retired Weaver with a brass, samovar in the park. 一个茶壶", REQUEST)
    assert [piece.source for piece in found] == ["summary", "element:objects:4", "element:objects:1", "query", "caption:1"]


def test_a_piece_is_whole_words_in_one_run_and_equal_ones_have_the_best_ranked_source() -> None:
    assert standing_in("brassy samovars, a retired old weaver", REQUEST) == ()
    assert [piece.text for piece in standing_in("brass samovar", REQUEST)] == ["brass samovar", "samovar"]


def test_a_run_is_found_at_its_second_beginning() -> None:
    assert standing_in("brass and brass samovar", REQUEST)[0].text == "brass samovar"
    assert standing_in("", REQUEST) == ()
