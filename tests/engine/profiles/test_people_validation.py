"""Every way in which a row can be wrong is reported with its line and field; a right one passes unharmed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from engine.profiles.elements import nearest_category
from engine.profiles.reading import read_people
from engine.profiles.validation import BadRow, check_row, person_key
from engine.records import Caption, Demographics, Element, Profile

from .made_up_people import CAPTION, jsonl, person


def bad(raw: object) -> BadRow:
    found = check_row(raw, 7)
    assert isinstance(found, BadRow)
    assert found.line == 7
    assert found.reason
    assert found.remedy
    return found


def good(raw: object) -> Profile:
    found = check_row(raw, 1)
    assert isinstance(found, Profile), found
    return found


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"id": ...}, "id", "missing"),
        ({"id": ""}, "id", "empty"),
        ({"id": 5}, "id", "int"),
        ({"id": "../etc"}, "id", "slash"),
        ({"id": "a/b"}, "id", "slash"),
        ({"id": "a\\b"}, "id", "slash"),
        ({"id": "a\x00b"}, "id", "control"),
        ({"id": "a\nb"}, "id", "control"),
        ({"id": "a\u2028b"}, "id", "control"),
        ({"id": ".hidden"}, "id", "dot"),
        ({"id": " a"}, "id", "space"),
        ({"id": "x" * 129}, "id", "characters"),
        ({"captions": ...}, "captions", "missing"),
        ({"captions": []}, "captions", "empty"),
        ({"captions": "one post"}, "captions", "not a list"),
        ({"captions": ["post"] * 201}, "captions", "201"),
        ({"captions": ["fine", ""]}, "captions[1]", "empty"),
        ({"captions": ["fine", 3]}, "captions[1]", "number"),
        ({"captions": [{"scenario": "no text"}]}, "captions[0].text", "missing"),
        ({"captions": [{"text": 4}]}, "captions[0].text", "int"),
        ({"captions": ["word " * 10_000]}, "captions[0]", "10,000 words"),
        ({"captions": ["字" * 501]}, "captions[0]", "501 words"),
        ({"captions": [{"text": "x", "scenario": []}]}, "captions[0].scenario", "list"),
        (
            {"captions": ["a", "b", "c", {"text": "d", "elements": [{"category": 1, "text": "d"}]}]},
            "captions[3].elements[0].category",
            "int",
        ),
        ({"captions": [{"text": "d", "elements": [{"category": "objects", "text": 8}]}]}, "captions[0].elements[0].text", "int"),
        ({"captions": [{"text": "d", "elements": ["d"]}]}, "captions[0].elements[0]", "str"),
        ({"elements": {"objects": ["ok", 9]}}, "elements.objects[1]", "int"),
        ({"elements": {"objects": "ok"}}, "elements.objects", "not a list"),
        ({"elements": {"lightning": ["storm"]}}, "elements.lightning", "no category"),
        ({"demographics": "old"}, "demographics", "string"),
        ({"demographics": {"region": 3}}, "demographics.region", "int"),
        ({"demographics": {"interests": "tea"}}, "demographics.interests", "not a list"),
        ({"demographics": {"interests": ["tea", None]}}, "demographics.interests[1]", "NoneType"),
        ({"summary_given": ..., "demographics": ...}, "summary_given", "missing"),
        ({"summary_ref": "x" * 20_001}, "summary_ref", "characters"),
        ({"summary_given": "half \ud83d of a smile"}, "summary_given", "surrogate"),
        ({"captions": ["half \ude00 of a smile"]}, "captions[0]", "surrogate"),
        ({"id": "p\ud800"}, "id", "surrogate"),
        ({"media": "video"}, "media", "unsupported"),
        ({"media": "3d"}, "media", "unsupported"),
        ({"embeddings": [[1.0, 2.0]]}, "embeddings", "1 vectors for 2 captions"),
        ({"embeddings": [[1.0, 2.0], [1.0]]}, "embeddings[1]", "1 numbers"),
        ({"embeddings": [[1.0, 2.0], [1.0, math.nan]]}, "embeddings[1][1]", "nan"),
        ({"embeddings": [[1.0, math.inf], [1.0, 2.0]]}, "embeddings[0][1]", "inf"),
        ({"embeddings": [[1.0, "2"], [1.0, 2.0]]}, "embeddings[0][1]", "string"),
        ({"embeddings": [[], []]}, "embeddings[0]", "not a list of numbers"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], field: str, reason: str) -> None:
    found = bad(person(**changes))
    assert found.field == field
    assert reason in found.reason


@pytest.mark.parametrize("raw", [None, 3, "text", ["list"], {}])
def test_what_is_no_person_at_all_is_a_bad_row(raw: object) -> None:
    assert bad(raw).id == ""


def test_a_bad_row_names_the_person_and_shows_no_control_characters() -> None:
    assert bad(person(media="video")).id == "p-0"
    assert bad(person(id="a\x1b[31m")).id.isprintable()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("lightning", "lighting"),
        ("color", "colour"),
        ("background", "environment"),
        ("poses", "actions"),
        ("camera", "composition"),
        ("cloths", "clothing"),
    ],
)
def test_the_nearest_category_is_suggested(said: str, meant: str) -> None:
    assert nearest_category(said) == meant
    assert f"Did you mean {meant}?" in bad(person(elements={said: ["x"]})).remedy


def test_missing_fields_take_their_defaults() -> None:
    found = good({"id": "p", "demographics": {"occupation": "baker", "interests": ["chess"]}, "captions": ["a loaf"]})
    assert found == Profile(
        "p",
        Demographics(occupation="baker", interests=("chess",)),
        "baker; interested in chess",
        "",
        (),
        (Caption("a loaf"),),
        "p",
        "import",
        "image",
    )


def test_elements_that_only_captions_name_join_the_lexicon_behind_it() -> None:
    found = good(
        person(elements=[{"category": "colour", "text": "rust"}], captions=[CAPTION, {"text": "dusk", "elements": {"lighting": ["dusk"]}}])
    )
    assert found.elements == (Element("colour", "rust"), Element("objects", "brass samovar"), Element("lighting", "dusk"))
    assert found.captions[1].elements == (Element("lighting", "dusk"),)


def test_finite_embeddings_are_accepted_and_ignored() -> None:
    assert good(person(embeddings=[[1, 2.5], [0, -1e-9]])) == good(person())


def test_five_hundred_words_pass_and_one_more_does_not() -> None:
    assert len(good(person(captions=["a " * 500])).captions) == 1
    assert "501 words" in bad(person(captions=["a " * 501])).reason


def test_equal_people_have_equal_keys_and_others_do_not() -> None:
    assert person_key(good(person())) == person_key(good(person()))
    assert person_key(good(person())) != person_key(good(person(summary_ref="Another.")))
    assert person_key(good(person())) != person_key(good(person(captions=[CAPTION])))


def test_the_second_of_two_equal_ids_is_bad_and_told_where_the_first_stands(tmp_path: Path) -> None:
    rows = list(read_people(jsonl(tmp_path / "p.jsonl", [person(1), person(2), person(1), person(3)])))
    assert [line for line, found in rows if isinstance(found, Profile)] == [1, 2, 4]
    duplicate = rows[2][1]
    assert isinstance(duplicate, BadRow)
    assert (duplicate.line, duplicate.id, duplicate.field) == (3, "p-1", "id")
    assert "line 1" in duplicate.reason
