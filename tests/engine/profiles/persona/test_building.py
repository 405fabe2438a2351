"""The people that persona sheets become keep the rules of VPTT, "Persona sheets as real input"."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from engine import keys
from engine.profiles.persona.building import VERSION, build_person, persona_id
from engine.profiles.persona.facets import Facet, understand
from engine.profiles.persona.sheet import PersonaSheet, sheet_of
from engine.profiles.persona.strands import lenders, strand_of
from engine.profiles.persona.summaries import content, paraphrases, shared_ngrams
from engine.profiles.persona.topics import everyday, topics
from engine.profiles.persona.words import stems
from engine.records import CATEGORIES, Profile
from engine.tokens import tokens

from ..made_up_people import SHEETS

REAL = Path(__file__).parents[5] / "shared" / "data" / "synthetic_persona_chat_personas.jsonl"


def sheets() -> list[PersonaSheet]:
    """The made-up sheets and, where the public ones lie beside this checkout, every thirty-first of those."""
    real = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()[::31]] if REAL.exists() else []
    found = {sheet.key: sheet for sheet in map(sheet_of, [*SHEETS, *real])}
    return list(found.values())


def facets(sheet: PersonaSheet) -> tuple[Facet, ...]:
    return understand(sheet, random.Random(keys.seed_of("persona", VERSION, sheet.key, "0"))).facets


@pytest.fixture(scope="module")
def people() -> list[tuple[PersonaSheet, Profile]]:
    return [(sheet, build_person(sheet)) for sheet in sheets()]


def test_each_person_has_thirty_distinct_captions_with_their_elements_in_them(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for sheet, profile in people:
        assert profile.id == f"persona-{sheet.key[:12]}" == persona_id(sheet)
        assert len({caption.text for caption in profile.captions}) == 30
        lexicon = set(profile.elements)
        for caption in profile.captions:
            assert caption.elements
            assert all(element.text in caption.text for element in caption.elements)
            assert lexicon.issuperset(caption.elements)


def test_elements_are_short_and_cover_all_eight_categories(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for _, profile in people:
        assert {element.category for element in profile.elements} == set(CATEGORIES)
        assert all(1 <= len(tokens(element.text)) <= 6 for element in profile.elements)


def test_each_visual_sentence_shows_in_two_to_twelve_captions(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for sheet, profile in people:
        for facet in facets(sheet):
            theirs = {(item.category, item.text) for item in facet.items}
            shows = sum(any((element.category, element.text) in theirs for element in caption.elements) for caption in profile.captions)
            assert 2 <= shows <= 12, (facet.mark, shows)


def test_no_caption_shares_five_tokens_in_a_row_with_the_sheet(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for sheet, profile in people:
        for sentence in sheet.sentences:
            assert not any(shared_ngrams(caption.text, sentence, 5) for caption in profile.captions)


def test_nothing_that_was_rejected_shows_anywhere(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for sheet, profile in people:
        rejected = understand(sheet, random.Random(0)).rejected
        texts = [
            profile.summary_given,
            profile.summary_ref,
            *(caption.text for caption in profile.captions),
            *(e.text for e in profile.elements),
        ]
        assert not any(rejected & set(stems(text)) for text in texts), sheet.sentences


@pytest.mark.parametrize(
    ("sentences", "shown", "never"),
    [
        (SHEETS[0], "greyhound", "mushroom"),
        (SHEETS[1], "violet", "horse"),
        (SHEETS[2], "Paper Lanterns", "coffee"),
        (SHEETS[3], "parrot", "television"),
        (SHEETS[4], "Panda", "spider"),
        (["I have two dogs.", "I am afraid of dogs."], "", "dog"),
        (["I love boats.", "I hate the color orange."], "boat", "orange"),
    ],
)
def test_what_a_sheet_likes_is_there_and_what_it_rejects_is_not(sentences: list[str], shown: str, never: str) -> None:
    profile = build_person(sheet_of(sentences))
    everything = " ".join([*(caption.text for caption in profile.captions), *(element.text for element in profile.elements)])
    assert shown.lower() in everything.lower()
    assert stems(never)[0] not in stems(everything)


def test_the_two_summaries_share_no_four_tokens_and_hardly_a_content_word(people: list[tuple[PersonaSheet, Profile]]) -> None:
    """METRICS, PA: a method that pastes `summary_given` must not win by the words of `summary_ref`."""
    common = []
    for _, profile in people:
        assert profile.summary_given
        assert profile.summary_ref
        assert not shared_ngrams(profile.summary_given, profile.summary_ref, 4)
        given, reference = content(profile.summary_given), content(profile.summary_ref)
        common.append(len(given & reference) / max(1, min(len(given), len(reference))))
    assert sum(common) / len(common) <= 0.03


def test_the_first_summary_says_a_fact_in_the_words_of_the_sheet_and_the_second_in_others() -> None:
    profile = build_person(sheet_of(["I have a dog.", "I love to bake bread.", "I am 27 years old.", "I live in Oregon."]))
    assert "dog" in profile.summary_given
    assert "Oregon" in profile.summary_given
    assert "20s" in profile.summary_given
    assert not {"dog", "bake", "bread", "oregon"} & set(tokens(profile.summary_ref))
    assert "Twenty-something" in profile.summary_ref
    assert "bark" in profile.summary_ref or "fetch" in profile.summary_ref


def test_demographics_say_what_the_sheet_says_and_nothing_else() -> None:
    told = build_person(sheet_of(["I am 27 years old.", "I live in Oregon.", "I am a school librarian.", "I am Buddhist."])).demographics
    assert (told.age_band, told.region, told.occupation, told.culture) == ("20s", "Oregon", "school librarian", "Buddhist")
    silent = build_person(
        sheet_of(["I love kites.", "My parents live in Peru.", "I want to be a dentist.", "My boss is 60 years old."])
    ).demographics
    assert (silent.age_band, silent.region, silent.occupation, silent.culture) == ("", "", "", "")


def test_captions_of_one_person_are_new_against_each_other(people: list[tuple[PersonaSheet, Profile]]) -> None:
    """VPTT, "Quality of people": leave-one-out NV among own captions >= .7 (METRICS, NV)."""
    novelties = []
    for _, profile in people:
        grams = [shared_ngrams(caption.text, caption.text, 3) or {tuple(tokens(caption.text))} for caption in profile.captions]
        novelties += [1 - max(len(own & other) / len(own) for j, other in enumerate(grams) if j != i) for i, own in enumerate(grams)]
    assert sum(novelties) / len(novelties) >= 0.85
    assert sum(novelty < 0.7 for novelty in novelties) / len(novelties) < 0.02


def test_people_differ_in_their_captions(people: list[tuple[PersonaSheet, Profile]]) -> None:
    texts = [caption.text for _, profile in people for caption in profile.captions]
    assert len(set(texts)) >= 0.999 * len(texts)


@pytest.mark.parametrize(
    "sentences",
    [
        ["I hate everything."],
        ["I am single."],
        ["?", "I"],
        ["我喜欢画画。", "我养了两只猫。"],
        ["أحب القهوة."],
        ["🎻🎻"],
        ["I do not like light, colour, walls, pictures, people, home or work."],
        [f"I collect {thing} spoons." for thing in "tin jade bone horn salt soup sand bird fish moon star leaf rain".split()],  # noqa: SIM905
    ],
)
def test_odd_sheets_become_whole_people(sentences: list[str]) -> None:
    if sentences == ["🎻🎻"]:
        with pytest.raises(ValueError, match="says nothing"):
            sheet_of(sentences)
        return
    profile = build_person(sheet_of(sentences))
    assert len({caption.text for caption in profile.captions}) == 30
    assert profile.summary_given


def test_the_lexicon_is_sound() -> None:
    for topic in topics().values():
        assert topic.items
        assert all(item.lead for item in topic.items if item.category == "environment"), topic.name
        assert all(1 <= len(tokens(item.text)) <= 6 for item in topic.items), topic.name
    for category in ("actions", "environment"):
        items = everyday(category)
        assert len({item.text for item in items}) == len(items) >= 40, category


def test_every_topic_has_other_words_for_the_second_summary_and_borrows_only_from_themes_that_exist() -> None:
    assert set(paraphrases()) == set(topics())
    for name in lenders():
        assert name in topics()
        assert strand_of(name, random.Random(0)) is not None, name


def test_a_person_has_surroundings_of_their_own_that_d_does_not_know(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for _, profile in people:
        places = Counter(e.text for c in profile.captions for e in c.elements if e.category == "environment" and e.text.istitle())
        assert all(name not in profile.summary_given and name != profile.demographics.region for name in places)
    quarters = Counter(
        next((e.text for e in profile.elements if e.category == "environment" and e.text.istitle()), "") for _, profile in people
    )
    assert max(quarters.values()) <= max(2, 0.03 * len(people))


def test_few_elements_are_common_to_many_people_but_colours_and_light(people: list[tuple[PersonaSheet, Profile]]) -> None:
    """VPTT, "Quality of people": none in more than 3 % of people; with a hundred of them chance needs room."""
    had = Counter(e for _, profile in people for e in set(profile.elements) if e.category not in ("colour", "lighting"))
    assert max(had.values()) <= max(2, 0.07 * len(people))
    lengths = [len(tokens(e.text)) for _, profile in people for e in profile.elements]
    assert 0.3 <= sum(length >= 3 for length in lengths) / len(lengths) <= 0.6
