"""A prompt starts with the query, keeps phrases whole, and never exceeds its budget (METRICS, VPRAG; VPTT, Methods)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.prompting.assembly import Assembled, assemble
from engine.prompting.budget import PRESETS, Budget, word_count
from engine.prompting.phrases import Phrase, normalised

SOURCES = ["summary", "caption:0", "caption:7", "element:objects:0", "element:objects:3", "element:colour:1"]
texts = st.one_of(
    st.lists(st.sampled_from(["red", "tea", "And", "über", "茶壶", "ชา", "چای", "f/2.8", "🎈", "O'Neil"]), min_size=1, max_size=9).map(
        " ".join
    ),
    st.text(max_size=30).map(lambda text: " ".join(text.split())),
)
phrases = st.lists(st.builds(Phrase, texts, st.sampled_from(SOURCES)), max_size=12)
limits = st.one_of(st.none(), st.integers(0, 30))
budgets = st.builds(lambda words, number, each: Budget("any", words, number, each, 3, 0.1, "V"), limits, limits, limits)


def made(query: str, ranked: list[Phrase], budget: Budget) -> Assembled:
    prompt = assemble(query, ranked, budget)
    assert prompt is not None
    return prompt


@given(texts, phrases, budgets)
@settings(deadline=None, max_examples=300)
def test_no_prompt_exceeds_its_budget_and_the_query_stands_first_and_intact(query: str, ranked: list[Phrase], budget: Budget) -> None:
    prompt = assemble(query, ranked, budget)
    if prompt is None:
        assert budget.words is not None
        assert word_count(query) > budget.words
        return
    assert prompt.prompt.startswith(query)
    assert prompt.pieces[0] == Phrase(query, "query")
    assert prompt.words == word_count(prompt.prompt)
    assert budget.words is None or prompt.words <= budget.words
    assert budget.phrases is None or len(prompt.pieces) - 1 <= budget.phrases
    assert all(budget.phrase_words is None or word_count(piece.text) <= budget.phrase_words for piece in prompt.pieces[1:])


@given(texts, phrases, budgets)
@settings(deadline=None, max_examples=300)
def test_pieces_are_whole_phrases_that_stand_in_the_prompt_in_order(query: str, ranked: list[Phrase], budget: Budget) -> None:
    prompt = assemble(query, ranked, budget)
    if prompt is None:
        return
    assume(not any(set(piece.text) <= set(",; ") for piece in prompt.pieces[1:]))  # the next separator looks the same
    at = 0
    for piece in prompt.pieces:
        assert piece.source == "query" or piece in ranked
        at = prompt.prompt.index(piece.text, at) + len(piece.text)
    assert at == len(prompt.prompt)
    assert len({normalised(piece.text) for piece in prompt.pieces}) == len(prompt.pieces)


@given(texts, phrases, st.integers(0, 30))
@settings(deadline=None)
def test_what_is_cut_ranks_below_what_is_kept(query: str, ranked: list[Phrase], words: int) -> None:
    everything = made(query, ranked, Budget("all", None, None, None, 3, 0.1, "V"))
    prompt = assemble(query, ranked, Budget("some", words, None, None, 3, 0.1, "V"))
    if prompt is None:
        return
    distinct = [phrase for phrase in dict.fromkeys(ranked) if phrase in everything.pieces]
    places = sorted(distinct.index(piece) for piece in prompt.pieces[1:])
    assert places == list(range(len(places)))
    assert prompt.cut == len(distinct) - len(places)
    if prompt.cut:
        assert made(query, distinct[: len(places) + 1], Budget("all", None, None, None, 3, 0.1, "V")).words > words


def test_summary_stands_before_elements_but_is_cut_first() -> None:
    ranked = [
        Phrase("brass samovar", "element:objects:0"),
        Phrase("hand-woven rug", "element:objects:2"),
        Phrase("low winter light", "element:lighting:2"),
        Phrase("a retired weaver", "summary"),
    ]
    full = made("An afternoon in the park", ranked, PRESETS["q3"])
    assert full.prompt == "An afternoon in the park; a retired weaver, with brass samovar, hand-woven rug; low winter light"
    assert (full.words, full.cut) == (17, 0)
    assert [piece.source for piece in full.pieces[:2]] == ["query", "summary"]
    cut = made("An afternoon in the park", ranked, Budget("tight", 16, None, None, 3, 0.1, "V"))
    assert cut.prompt == "An afternoon in the park, with brass samovar, hand-woven rug; low winter light"
    assert (cut.words, cut.cut) == (14, 1)


def test_a_small_preset_keeps_the_three_best_and_passes_over_long_phrases() -> None:
    long = Phrase("one two three four five six seven eight nine", "caption:0")
    ranked = [long, *(Phrase(f"clause {i}", f"caption:{i}") for i in range(1, 6))]
    prompt = made("Tea", ranked, PRESETS["q1"])
    assert prompt.prompt == "Tea; clause 1; clause 2; clause 3"
    assert prompt.cut == 3


def test_clause_and_element_in_turn_read_as_pairs() -> None:
    ranked = [
        Phrase("snow on the roof", "caption:0"),
        Phrase("red door", "element:objects:1"),
        Phrase("goats at dawn", "caption:1"),
        Phrase("wool", "element:materials:0"),
    ]
    assert made("Home", ranked, PRESETS["q3"]).prompt == "Home; snow on the roof, with red door; goats at dawn, wool"


def test_repeated_phrases_are_left_out_without_counting_as_cut() -> None:
    ranked = [Phrase("Red kite", "caption:0"), Phrase("red  kite!", "element:objects:0"), Phrase("TEA.", "summary")]
    prompt = made("Tea", ranked, PRESETS["q3"])
    assert (prompt.prompt, prompt.cut) == ("Tea; Red kite", 0)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Paint a market.", "Paint a market. With brass samovar"),
        ("Is it dawn?", "Is it dawn? With brass samovar"),
        ("公园里的下午", "公园里的下午, brass samovar"),
        ("公园里的下午。", "公园里的下午。 brass samovar"),
    ],
)
def test_the_query_is_followed_as_its_punctuation_and_script_ask(query: str, expected: str) -> None:
    assert made(query, [Phrase("brass samovar", "element:objects:0")], PRESETS["q3"]).prompt == expected
