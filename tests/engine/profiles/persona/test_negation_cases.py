"""Hand-written negation cases: what a sentence rejects never reaches E or C, what only looks rejected does (VPTT)."""

from __future__ import annotations

import pytest

from engine.profiles.persona.building import build_person
from engine.profiles.persona.sheet import sheet_of
from engine.profiles.persona.words import stem, stems

NEVER_SHOWN = [
    # sentence, words that must not appear, words that must
    ("I do not like mushrooms.", "mushroom", ""),
    ("I hate ferries but I love gulls.", "ferry", "gull"),
    ("I am afraid of snakes.", "snake serpent", ""),
    ("I never wear sandals.", "sandal", ""),
    ("I can't stand jazz.", "jazz", ""),
    ("I used to play the cello, but not any more.", "cello", ""),
    ("I used to collect stamps but I do not anymore.", "stamp", ""),
    ("I no longer ride motorcycles.", "motorcycle motorbike", ""),
    ("I live without a television.", "television", ""),
    ("I am allergic to cats.", "cat kitten", ""),
    ("I gave up smoking last year.", "smoke cigarette", ""),
    ("I have never been to Paris.", "paris", ""),
    ("I eat no meat.", "meat steak bacon", ""),
    ("I would rather knit than dance.", "dance", "knit"),
    ("Crowds terrify me.", "crowd", ""),
    ("I prefer trains over planes.", "plane", "train"),
    ("I am anything but sporty.", "sporty", ""),
    ("I love all animals except horses.", "horse pony", "animal"),
    ("I don't own a car, so I ride my bike.", "car", "bike"),
    ("Neither my wife nor I eat fish.", "fish", ""),
    ("I have lost interest in chess.", "chess", ""),
    ("I am sick of pizza.", "pizza", ""),
    ("I am no fan of opera.", "opera", ""),
    ("I am scared of heights, yet I love rivers.", "height ladder", "river"),
    ("I love the color blue, not green.", "green", "blue"),
    ("I detest the smell of lavender.", "lavender", ""),
]

ONLY_LOOKS_REJECTED = [
    ("I can't live without coffee.", "", "coffee"),
    ("Nothing makes me happier than dogs.", "", "dog"),
    ("I never miss a hockey game.", "", "hockey"),
    ("There is nothing I love more than surfing.", "", "surf"),
    ("I can't get enough of pottery.", "", "pottery"),
    ("I drink nothing but tea.", "", "tea"),
    ("I do nothing but read novels.", "", "read"),
    ("Not a day goes by without a swim.", "", "swim"),
    ("I do not dislike olives.", "", "olive"),
    ("I am not afraid of snakes.", "", "snake"),
    ("I don't just bake bread, I also brew beer.", "", "bread beer"),
    ("I do not go anywhere without my guitar.", "", "guitar"),
    ("I couldn't be happier than when I am fishing.", "", "fish"),
    ("Who doesn't love pancakes?", "", "pancake"),
    ("I have not stopped painting since I was five.", "", "paint"),
    ("I would never give up my violin.", "", "violin"),
    ("I can not wait to see whales.", "", "whale"),
    ("I quit my job to sail.", "", "sail"),
]


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(("sentence", "never", "always"), [*NEVER_SHOWN, *ONLY_LOOKS_REJECTED])
def test_a_negation_is_read_as_its_writer_meant_it(sentence: str, never: str, always: str, seed: int) -> None:
    person = build_person(sheet_of([sentence, "I have a garden."]), seed=seed)
    in_elements = {word for element in person.elements for word in stems(element.text)}
    in_captions = {word for caption in person.captions for word in stems(caption.text)}
    assert not {stem(word) for word in never.split()} & (in_elements | in_captions)
    assert {stem(word) for word in always.split()} <= in_elements & in_captions


def test_there_are_thirty_cases_and_more() -> None:
    assert len(NEVER_SHOWN) + len(ONLY_LOOKS_REJECTED) >= 30
