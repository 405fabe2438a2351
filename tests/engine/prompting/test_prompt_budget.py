"""Budgets and presets are the ones of VPTT, Methods."""

from __future__ import annotations

import pytest

from engine.errors import ConfigError
from engine.prompting.budget import PRESETS, Budget, preset, word_count
from engine.prompting.retrieval import RetrievalSettings


def test_q3_is_150_words_three_elements_a_category_and_scored_with_v() -> None:
    q3 = PRESETS["q3"]
    assert (q3.words, q3.phrases, q3.phrase_words, q3.q, q3.tau, q3.score) == (150, None, None, 3, 0.1, "V")
    assert q3.retrieval() == RetrievalSettings(q=3, tau=0.1, quota="ours", total=None)


@pytest.mark.parametrize("name", ["q1", "q2"])
def test_q1_and_q2_are_three_phrases_of_eight_tokens_and_scored_with_v_c(name: str) -> None:
    small = PRESETS[name]
    assert (small.words, small.phrases, small.phrase_words, small.score) == (None, 3, 8, "V-c")
    assert small.retrieval().total == 3


def test_words_are_counted_as_metrics_tokens() -> None:
    assert word_count("Don't stop — the tea's hot! 🎈") == 5
    assert word_count("在海边") == 3


def test_an_unknown_preset_suggests_the_nearest_and_a_negative_limit_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'q3'"):
        preset("Q3")
    with pytest.raises(ConfigError, match="words is -1"):
        Budget("x", -1, None, None, 3, 0.1, "V")


def test_q1_and_q2_pin_the_same_limits_and_q3_others() -> None:
    assert PRESETS["q1"].recipe() == PRESETS["q2"].recipe() != PRESETS["q3"].recipe()
