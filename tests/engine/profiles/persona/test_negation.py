"""What a sentence rejects never reaches a person; what it affirms does."""

from __future__ import annotations

import pytest

from engine.profiles.persona.negation import read_sentence
from engine.profiles.persona.words import stem, with_kindred


@pytest.mark.parametrize(
    ("sentence", "rejected"),
    [
        ("I do not like mushrooms.", "mushrooms"),
        ("I don't eat shellfish.", "shellfish"),
        ("I don’t eat shellfish.", "shellfish"),
        ("i don t eat shellfish", "shellfish"),
        ("I hate ferries.", "ferries"),
        ("I am afraid of geese.", "geese"),
        ("I'm terrified of escalators.", "escalators"),
        ("I never wear sandals.", "sandals"),
        ("I can't stand jazz.", "jazz"),
        ("I cannot stand jazz.", "jazz"),
        ("I am allergic to pollen.", "pollen"),
        ("I have an allergy to walnuts.", "walnuts"),
        ("I have no car.", "car"),
        ("I dislike tapioca.", "tapioca"),
        ("I quit smoking.", "smoking"),
        ("I used to smoke, but I stopped.", "smoke"),
        ("Clowns scare me.", "clowns"),
        ("Spiders are not my thing.", "spiders"),
        ("I prefer trams to buses.", "buses"),
        ("I eat everything except liver.", "liver"),
        ("I neither ski nor skate.", "skate"),
        ("I live without a fridge.", "fridge"),
        ("I am not religious.", "religious"),
    ],
)
def test_the_rejected_thing_is_found(sentence: str, rejected: str) -> None:
    reading = read_sentence(sentence)
    assert stem(rejected) in reading.rejected
    assert all(rejected not in clause for clause in reading.affirmed)


@pytest.mark.parametrize(
    ("sentence", "affirmed"),
    [
        ("I love gulls but hate crows.", "gulls"),
        ("I hate crows but love gulls.", "gulls"),
        ("I do not drive because I live in Oslo.", "oslo"),
        ("I cannot wait to see the aurora.", "aurora"),
        ("I never miss a regatta.", "regatta"),
        ("I do not mind drizzle.", "drizzle"),
        ("I paint barges when I am not working.", "barges"),
        ("I am very bookish and do not like to party.", "bookish"),
        ("I prefer trams to buses.", "trams"),
    ],
)
def test_the_affirmed_part_of_a_mixed_sentence_stays(sentence: str, affirmed: str) -> None:
    reading = read_sentence(sentence)
    assert any(affirmed in clause for clause in reading.affirmed)
    assert stem(affirmed) not in reading.rejected


def test_a_rejected_word_takes_the_words_for_the_same_thing_with_it() -> None:
    assert {"puppy", "leash", "kennel"} <= with_kindred([stem("dogs")])
    assert stem("climbing") in with_kindred([stem("heights")])
    assert with_kindred([stem("mushrooms")]) == {stem("mushrooms")}


def test_somebody_else_is_not_rejected_for_what_they_do_not_do() -> None:
    assert "sister" not in read_sentence("My sister does not eat meat.").rejected
