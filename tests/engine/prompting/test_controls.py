"""Controls are what they are called: own elements by lot, own captions, text about nobody, each as long as what it stands beside."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.prompting.budget import word_count
from engine.prompting.controls import NOISE_STEP, NOISE_TEXTS, noise, own_captions, random_evidence
from engine.prompting.evidence import Evidence, RetrievedElement
from engine.prompting.unrelated import sentences
from engine.records import Caption, Demographics, Element, Profile
from engine.tokens import tokens

UNITS = [f"unit-{number}" for number in range(300)]
ELEMENTS = [Element(("lighting", "objects")[index % 2], f"element {index}") for index in range(12)]
CAPTIONS = tuple(
    Caption(f"caption {index} of {'very ' * (index % 4)}many words", "", tuple(ELEMENTS[index : index + 3])) for index in range(10)
)
PERSON = Profile("p", Demographics(), "given", "ref", (*ELEMENTS, Element("objects", "in no caption")), CAPTIONS, "p", "test")
EVIDENCE = Evidence(
    posts=(1, 2),
    weights=(0.6, 0.4),
    entropy=0.5,
    n_eff=2.0,
    k=2,
    cap_binds=False,
    categories=(),
    elements=tuple(RetrievedElement(element.category, element.text, 1, 0.9) for element in ELEMENTS[1:5]),
    over_asks=0,
)


def test_random_elements_are_as_many_own_ones_each_with_the_post_it_stands_in() -> None:
    for unit in UNITS:
        drawn = random_evidence(PERSON, EVIDENCE, unit).elements
        assert len(drawn) == len(EVIDENCE.elements)
        assert len({(element.category, element.text) for element in drawn}) == len(drawn)
        for element in drawn:
            assert Element(element.category, element.text) in PERSON.captions[element.post].elements


def test_every_element_that_captions_use_is_drawn_alike_and_no_other() -> None:
    counts = Counter(element.text for unit in UNITS for element in random_evidence(PERSON, EVIDENCE, unit).elements)
    assert set(counts) == {element.text for element in ELEMENTS}
    # 100 expected of 300, sd 8; those in three captions no more often than those in one.
    assert all(65 < count < 135 for count in counts.values())


def test_the_draw_is_the_units_own_and_not_what_was_retrieved() -> None:
    assert random_evidence(PERSON, EVIDENCE, "u") == random_evidence(PERSON, EVIDENCE, "u")
    draws = {random_evidence(PERSON, EVIDENCE, unit).elements for unit in UNITS}
    assert len(draws) > 250
    retrieved = {element.text for element in EVIDENCE.elements}
    hits = np.mean([len({e.text for e in random_evidence(PERSON, EVIDENCE, unit).elements} & retrieved) for unit in UNITS])
    assert hits == pytest.approx(4 * 4 / 12, abs=0.25), "no more of the retrieved ones than chance gives"


def test_fewer_elements_than_were_retrieved_are_all_drawn() -> None:
    poor = Profile("p", Demographics(), "given", "ref", (), (Caption("one", "", tuple(ELEMENTS[:2])),), "p", "test")
    assert {element.text for element in random_evidence(poor, EVIDENCE, "u").elements} == {"element 0", "element 1"}


@pytest.mark.parametrize("words", [1, 5, 12, 20, 1000])
def test_own_is_whole_captions_of_nearly_that_length_and_never_more_than_half_of_them(words: int) -> None:
    texts = {f"caption:{index}": caption.text for index, caption in enumerate(CAPTIONS)}
    for unit in UNITS[:60]:
        written = own_captions(PERSON, words, unit)
        assert [texts[piece.source] for piece in written.pieces] == [piece.text for piece in written.pieces]
        assert len({piece.source for piece in written.pieces}) == len(written.pieces) <= len(CAPTIONS) // 2
        assert written.prompt == " ".join(piece.text for piece in written.pieces)
        assert written.words == word_count(written.prompt)
        assert written.captions() == {piece.text for piece in written.pieces}
        if words == 1:
            assert len(written.pieces) == 1
        elif words < 1000:
            assert abs(written.words - words) <= max(word_count(caption.text) for caption in CAPTIONS) / 2 + 2
        else:
            assert len(written.pieces) == len(CAPTIONS) // 2


def test_every_caption_is_some_units_own() -> None:
    drawn = Counter(piece.source for unit in UNITS for piece in own_captions(PERSON, 5, unit).pieces)
    assert set(drawn) == {f"caption:{index}" for index in range(len(CAPTIONS))}


def test_a_single_caption_is_its_own_half() -> None:
    alone = Profile("p", Demographics(), "given", "ref", (), CAPTIONS[:1], "p", "test")
    assert own_captions(alone, 50, "u").captions() == {CAPTIONS[0].text}


@pytest.mark.parametrize("words", [1, 2, 9, 17, 60, 150])
def test_noise_is_about_as_long_as_its_model(words: int) -> None:
    for unit in UNITS[:60]:
        written = noise(words, unit)
        assert written.words == word_count(written.prompt)
        # Half a step up or down, and one word for a last one that counts as two.
        assert max(NOISE_STEP, words - NOISE_STEP / 2) - 1 <= written.words <= max(NOISE_STEP, words + NOISE_STEP / 2)
        assert [piece.kind for piece in written.pieces] == ["noise"]


def test_noise_is_drawn_by_the_unit_alone_from_a_fixed_number_of_texts() -> None:
    assert noise(40, "u") == noise(40, "u")
    drawn = Counter(noise(40, f"unit-{number}").prompt for number in range(60 * NOISE_TEXTS))
    assert len(drawn) == NOISE_TEXTS
    assert max(drawn.values()) < 60 + 5 * 60**0.5, "each as likely as any other"


def test_unrelated_sentences_use_all_their_parts_and_are_distinct() -> None:
    made = sentences(np.random.default_rng(0).random)
    drawn = [next(made) for _ in range(3000)]
    assert len(set(drawn)) > 2950
    first = next(sentences(lambda: 0.0)), next(sentences(lambda: 1 - 2**-53))
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in (*drawn, *first))
    assert len({tokens(sentence)[-1] for sentence in drawn}) > 10
