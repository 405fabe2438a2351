"""NV and nv-union: golden values of METRICS, and their bounds on any text."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.metrics.novelty import CaptionGrams, novelty
from engine.tokens import tokens

KITES = ("A red kite over the green hills at dawn", "an old kite festival by the sea", "green hills at dawn in spring")
CHINESE = ("一个穿着红色连衣裙的女孩", "海边的日出")
TEXTS = st.lists(st.sampled_from(["red", "kite", "the", "sea", "Hills", "don't", "日", "出", "🌄", "—"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("prompt", "captions", "nv"),
    [
        ("a red kite over the sea", KITES, 0.25),
        ("by the sea a red kite", KITES, 0.75),
        ("green hills at dawn", KITES, 0),
        ("red kite", KITES, 0),
        ("the the the the", KITES, 1),
        ("穿着红色连衣裙", CHINESE, 0),
        ("一个男孩在海边", CHINESE, 1),
    ],
)
def test_golden_values_of_metrics_nv(prompt: str, captions: tuple[str, ...], nv: float) -> None:
    assert novelty(prompt, captions).nv == nv


def test_golden_union_of_metrics_nv() -> None:
    assert novelty("by the sea a red kite", KITES).nv_union == 0.5


def test_without_captions_everything_is_novel() -> None:
    assert novelty("red kite", ()) == (1, 1)
    assert novelty("red kite", ("", "…")) == (1, 1)


def test_prompt_without_words_has_no_novelty() -> None:
    with pytest.raises(ValueError, match="without tokens"):
        novelty("— 🌄", KITES)


def test_short_prompts_are_compared_by_what_they_have() -> None:
    assert novelty("kite", KITES).nv == 0
    assert novelty("kite red", KITES).nv == 1


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_bounds_on_any_text(prompt: str, captions: list[str]) -> None:
    assume(tokens(prompt))
    nv, union = novelty(prompt, captions)
    assert 0 <= union <= nv <= 1
    assert novelty(prompt, [*captions, prompt]) == (0, 0)


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_equals_the_definition_written_with_sets(prompt: str, captions: list[str]) -> None:
    words = tokens(prompt)
    assume(words)
    n = min(3, len(words))

    def grams(tokens_: list[str]) -> set[tuple[str, ...]]:
        return {tuple(tokens_[start : start + n]) for start in range(len(tokens_) - n + 1)}

    held = [grams(tokens(caption)) for caption in captions]
    wanted = grams(words)
    nv, union = novelty(prompt, captions)
    assert nv == pytest.approx(1 - max((len(wanted & one) for one in held), default=0) / len(wanted), abs=1e-12)
    assert union == pytest.approx(1 - len(wanted & set().union(*held)) / len(wanted), abs=1e-12)


@settings(deadline=None)
@given(st.lists(TEXTS.filter(lambda text: bool(tokens(text))), min_size=1, max_size=6))
def test_left_out_caption_is_compared_with_the_others_only(captions: list[str]) -> None:
    grams = CaptionGrams(captions)
    for index, caption in enumerate(captions):
        assert grams.leave_one_out(index) == novelty(caption, captions[:index] + captions[index + 1 :])


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_plain_ascii_is_tokenised_like_any_other_text(text: str) -> None:
    # One accented letter sends the same text down the general path.
    assert tokens(text) == tokens(f"{text} \u00e9")[:-1]
