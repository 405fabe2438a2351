"""A prompt without the words of a summary: what is left knows nothing that the summary says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.prompting.masking import masked
from engine.tokens import tokens

WORDS = st.lists(st.sampled_from(["Kite", "tea", "brass", "harbour", "don't", "Leh", "一", "weaver"]), max_size=12).map(" ".join)


def test_words_are_compared_as_the_metrics_tokens() -> None:
    assert masked("A WEAVER of Leh, in the snow — don’t!", "Weaver from leh. I don't") == "a of in the snow"


def test_nothing_left_is_the_empty_string_and_nothing_known_leaves_all() -> None:
    assert masked("Tea, tea!", "a tea drinker") == ""
    assert masked("Tea at dawn", "") == "tea at dawn"


@given(WORDS, WORDS)
def test_what_is_left_are_the_other_words_in_order(prompt: str, summary: str) -> None:
    left = tokens(masked(prompt, summary))
    assert left == [word for word in tokens(prompt) if word not in tokens(summary)]
