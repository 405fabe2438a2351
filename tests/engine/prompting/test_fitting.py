"""What a model wrote never exceeds its budget: it is cut where a clause ends, or at a word, and the cut is counted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.prompting.budget import PRESETS, Budget, word_count
from engine.prompting.fitting import fitted, fitted_phrases, within

written = st.one_of(
    st.lists(
        st.sampled_from(
            ["red", "tea,", "And", "über.", "茶壶", "ชา,", "چای،", "f/2.8", "🎈", "O'Neil", "st.", "a;", "茶。", "ティーカップ"]
        ),
        max_size=40,
    ).map(" ".join),
    st.text(max_size=60),
)
limits = st.one_of(st.none(), st.integers(0, 30))
budgets = st.builds(lambda words, number, each: Budget("any", words, number, each, 3, 0.1, "V"), limits, limits, limits)


def words_budget(words: int | None) -> Budget:
    return Budget("some", words, None, None, 3, 0.1, "V")


@given(written, st.integers(0, 30), st.booleans())
@settings(deadline=None, max_examples=500)
def test_a_prompt_is_a_beginning_of_the_text_and_never_over_budget(text: str, words: int, unfinished: bool) -> None:
    made = fitted(text, words_budget(words), unfinished=unfinished)
    assert made.words == word_count(made.prompt) <= words
    assert text.startswith(made.prompt)
    assert (made.cut > 0) == (made.prompt != text)


@given(st.text(min_size=1, max_size=20).filter(word_count), st.lists(written, max_size=6), budgets, st.booleans())
@settings(deadline=None, max_examples=500)
def test_a_query_with_phrases_is_never_over_budget(query: str, phrases: list[str], budget: Budget, unfinished: bool) -> None:
    if budget.words is not None and word_count(query) > budget.words:
        return
    made = fitted_phrases(query, phrases, budget, unfinished=unfinished)
    assert made.prompt.startswith(query)
    assert made.words == word_count(made.prompt)
    assert budget.words is None or made.words <= budget.words
    if budget.phrases is not None and budget.phrase_words is not None:
        assert made.words <= word_count(query) + budget.phrases * budget.phrase_words


@given(written, st.integers(1, 30))
@settings(deadline=None, max_examples=300)
def test_a_cut_divides_no_word(text: str, words: int) -> None:
    kept = within(text, words)
    assert word_count(kept) + word_count(text[len(kept) :]) == word_count(text)


def test_a_long_text_loses_whole_clauses_from_its_end() -> None:
    text = "A red kite over green hills, a dog beside the gate. Low sun, long shadows"
    made = fitted(text, words_budget(12))
    assert (made.prompt, made.words, made.cut) == ("A red kite over green hills, a dog beside the gate.", 11, 2)
    assert fitted(text, words_budget(10)).prompt == "A red kite over green hills"
    assert fitted(text, words_budget(15)).cut == 0
    assert fitted(text, words_budget(None)).prompt == text


def test_a_first_clause_that_is_too_long_is_cut_at_a_word_in_any_script() -> None:
    assert within("one two three four", 3) == "one two three"
    assert within("红色的风筝飞过山丘", 3) == "红色的"
    assert within("ティーカップと茶", 4) == "ティーカ"
    assert within("O'Neil's rug", 1) == "O'Neil's"
    made = fitted("one two three four, five, six", words_budget(3))
    assert (made.prompt, made.cut) == ("one two three", 3)


def test_the_clause_in_which_a_model_was_stopped_is_dropped_if_another_stands_before_it() -> None:
    made = fitted("A red kite, green hills, a wool ru", PRESETS["q3"], unfinished=True)
    assert (made.prompt, made.cut) == ("A red kite, green hills", 1)
    alone = fitted("A red kite over gre", PRESETS["q3"], unfinished=True)
    assert (alone.prompt, alone.cut) == ("A red kite over gre", 0)
    listed = fitted_phrases("In the park", ["red kite", "wool ru"], PRESETS["q1"], unfinished=True)
    assert (listed.prompt, listed.cut) == ("In the park; red kite", 1)


@pytest.mark.parametrize("name", ["q1", "q2"])
def test_three_phrases_of_eight_words_follow_the_query_and_the_others_count_as_cut(name: str) -> None:
    phrases = [
        "red kite",
        "a dog beside the gate, waiting for the post to come",
        "one two three four five six seven eight nine",
        "tea",
        "rug",
    ]
    made = fitted_phrases("In the park", phrases, PRESETS[name])
    assert made.prompt == "In the park; red kite; a dog beside the gate; one two three four five six seven eight"
    assert made.cut == 4


def test_a_phrase_that_says_nothing_beside_the_query_is_left_out_and_is_no_cut() -> None:
    query = "A game of chess under the park's plane trees"
    made = fitted_phrases(query, [query.upper(), "game of chess", "red kite", "Red kite!", "🎈"], PRESETS["q1"])
    assert (made.prompt, made.cut) == (f"{query}; red kite", 0)
    told = fitted_phrases(query, [f"The picture shows {query}, one late afternoon", "red kite"], PRESETS["q1"])
    assert (told.prompt, told.cut) == (f"{query}; red kite", 1)
    assert fitted_phrases("A bench.", ["red kite"], PRESETS["q1"]).prompt == "A bench. red kite"
