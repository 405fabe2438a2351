"""Sentence skeletons: content words out, function words and punctuation stay."""

import pytest

from engine.profiles.quality.skeletons import sentence_skeletons, skeleton, skeleton_figures


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A red kite over the green hills at dawn.", "a _ over the _ at _ ."),
        ("An old samovar over the sea at night.", "a _ over the _ at _ ."),
        ("I’m still here, aren't I?", "i'm still here , aren't i ?"),
        ("well-worn boots", "_"),
        ("", ""),
    ],
)
def test_the_form_of_a_caption(text, expected):
    assert skeleton(text) == expected


def test_filling_a_slot_with_a_longer_phrase_makes_no_new_skeleton():
    assert skeleton("My bench, again.") == skeleton("My weathered cedar park bench, again.")


def test_sentences_with_hardly_any_form_of_their_own_are_no_templates():
    assert sentence_skeletons("Thermos tea. A cup of tea. There is my tea on the table!") == ("there is my _ on the _ !",)


def test_the_commonest_is_a_share_of_captions_however_often_one_caption_repeats_it():
    figures = skeleton_figures(["This is my cat. This is my dog.", "Out with the dog for a walk.", "Blue hour"])
    assert figures["skeletons"].value == 3
    assert figures["sentence_skeletons"].value == 2
    assert figures["commonest_sentence"].value == pytest.approx(1 / 3)
    assert figures["commonest_sentence"].examples[0] in ("33.33% out with the _ for a _ .", "33.33% this is my _ .")
