"""The matched temperature belongs to an encoder, and is never guessed for another one."""

from __future__ import annotations

import pytest

from engine.errors import ConfigError
from engine.prompting.tau import MATCHED_TAU, matched_tau


def test_the_revision_of_an_encoder_does_not_matter() -> None:
    assert matched_tau("minilm-l6-v2@53aa5117.1b2c3d4e") == MATCHED_TAU["minilm-l6-v2"] < 0.1


def test_an_encoder_without_one_is_refused_with_both_ways_out() -> None:
    with pytest.raises(ConfigError, match="matches the encoder another-model") as refused:
        matched_tau("another-model@1")
    assert "retrieval.matched_tau" in refused.value.remedy
    assert "leave out vprag-matched" in refused.value.remedy
