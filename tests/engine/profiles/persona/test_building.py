"""The people that persona sheets become keep the rules of VPTT, "Persona sheets as real input"."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from engine import keys
from engine.profiles.persona.building import VERSION, build_person, persona_id
from engine.profiles.persona.facets import Facet, understand
from engine.profiles.persona.sheet import PersonaSheet, sheet_of
from engine.profiles.persona.summaries import shared_ngrams
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


def test_the_two_summaries_share_no_four_tokens_and_tell_of_the_same_person(people: list[tuple[PersonaSheet, Profile]]) -> None:
    for _, profile in people:
        assert profile.summary_given
        assert profile.summary_ref
        assert not shared_ngrams(profile.summary_given, profile.summary_ref, 4)
        for summary in (profile.summary_given, profile.summary_ref):
            assert all(word in summary for word in profile.demographics.occupation.split()[-3:])
            assert profile.demographics.region in summary


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
    for category in CATEGORIES:
        items = everyday(category)
        assert len({item.text for item in items}) == len(items) >= 40, category
