"""Imports: equal persona sheets are one person, overlapping ones one cluster, profiles pass as they are."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.profiles.importing import import_people
from engine.profiles.persona.clusters import clusters_of
from engine.profiles.writing import write_people

from .made_up_people import SHEETS, jsonl, person

REAL = Path(__file__).parents[4] / "shared" / "data" / "synthetic_persona_chat_personas.jsonl"


@pytest.mark.skipif(not REAL.exists(), reason="the public persona sheets are not beside this checkout")
def test_the_real_sheets_are_3773_rows_of_1065_people_in_clusters() -> None:
    """VPTT, "Persona sheets as real input": 3,773 rows, 1,065 distinct sentence sets."""
    result = import_people(REAL)
    assert (result.kind, result.rows, result.distinct, result.merged, result.bad) == ("seeds", 3773, 1065, 2708, [])
    some = list(itertools.islice(result.profiles, 40))
    assert len({profile.id for profile in some}) == 40
    assert len({profile.cluster for profile in some}) < 40


def test_equal_sheets_in_any_form_order_and_spelling_are_one_person(tmp_path: Path) -> None:
    first = ["I keep three greyhounds.", "I repair clocks."]
    rows = [
        first,
        {"persona": ["i repair clocks", "I keep three greyhounds!"]},
        {"persona": "I keep three greyhounds. I repair clocks."},
        SHEETS[1],
    ]
    result = import_people(jsonl(tmp_path / "p.jsonl", rows))
    assert (result.rows, result.distinct, result.merged) == (4, 2, 2)
    forwards = list(result.profiles)
    backwards = list(import_people(jsonl(tmp_path / "q.jsonl", rows[::-1])).profiles)
    assert sorted(forwards, key=lambda p: p.id) == sorted(backwards, key=lambda p: p.id)


@pytest.mark.parametrize("row", ["A clockmaker who restores carriage clocks.", {"persona": "A clockmaker who restores carriage clocks."}])
def test_a_persona_may_be_one_string(tmp_path: Path, row: object) -> None:
    (profile,) = import_people(jsonl(tmp_path / "p.jsonl", [row])).profiles
    assert len(profile.captions) == 30
    assert any("clock" in caption.text for caption in profile.captions)


def test_a_text_file_and_a_parquet_file_may_hold_seeds(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("I keep bees.\n\nI paint boats.\n", encoding="utf-8")
    pq.write_table(pa.table({"persona": ["I keep bees.", "I paint boats."]}), tmp_path / "p.parquet")
    lines, table = import_people(tmp_path / "p.txt"), import_people(tmp_path / "p.parquet")
    assert list(lines.profiles) == list(table.profiles)
    assert (lines.rows, table.rows) == (2, 2)


def test_bad_sheets_are_named_and_the_others_imported(tmp_path: Path) -> None:
    rows = [
        SHEETS[0],
        {"persona": []},
        {"persona": ["ok", 3]},
        {"text": "no"},
        b"{",
        [""],
        {"persona": "half \ud83d"},
        ["?!"],
        7,
        ["word " * 5000],
        ["I sew."] * 101,
    ]
    result = import_people(jsonl(tmp_path / "p.jsonl", rows))
    assert (result.rows, result.distinct, len(list(result.profiles))) == (11, 1, 1)
    assert [(row.line, row.field) for row in result.bad] == [
        (2, "persona"),
        (3, "persona[1]"),
        (4, "persona"),
        (5, ""),
        (6, "[0]"),
        (7, "persona"),
        (8, "persona"),
        (9, ""),
        (10, "[0]"),
        (11, ""),
    ]
    assert all(row.reason and row.remedy for row in result.bad)


def test_profiles_pass_unchanged_and_their_counts_grow_on_the_way(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", [person(1), person(2, media="3d"), person(3)])
    result = import_people(path)
    assert (result.kind, result.rows) == ("profiles", 0)
    found = list(result.profiles)
    assert [profile.id for profile in found] == ["p-1", "p-3"]
    assert (result.rows, result.distinct, result.merged, [row.field for row in result.bad]) == (3, 2, 0, ["media"])
    write_people(found, tmp_path / "p.parquet")
    assert list(import_people(tmp_path / "p.parquet").profiles) == found


def test_seeds_are_deterministic_and_the_seed_changes_the_captions_but_not_the_person(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", SHEETS)
    first, again, other = (list(import_people(path, seed=seed).profiles) for seed in (0, 0, 1))
    assert first == again
    assert [profile.id for profile in first] == [profile.id for profile in other]
    assert [profile.demographics for profile in first] == [profile.demographics for profile in other]
    assert all(mine.captions != theirs.captions for mine, theirs in zip(first, other, strict=True))
    assert {profile.source for profile in first} == {"persona:2:0"}


def test_people_who_share_half_of_their_sentences_are_one_cluster() -> None:
    marks = {
        "a": ["1", "2", "3", "4"],
        "b": ["1", "2", "5", "6"],
        "c": ["5", "7", "8", "9"],
        "d": ["6", "5", "x"],
        "e": ["4", "y", "z", "q"],
    }
    # a-b share two of four; b-d two of three; c shares one of four, e one of four.
    assert clusters_of(marks) == {"a": "a", "b": "a", "c": "c", "d": "a", "e": "e"}
    assert clusters_of(dict(reversed(marks.items()))) == clusters_of(marks)


def test_sheets_that_say_the_same_up_to_articles_and_number_endings_are_one_person(tmp_path: Path) -> None:
    rows = [["I keep a greyhound.", "I repair clocks."], ["I keep greyhounds", "I am repairing the clocks!"]]
    result = import_people(jsonl(tmp_path / "p.jsonl", rows))
    assert (result.distinct, result.merged) == (1, 1)
    backwards = import_people(jsonl(tmp_path / "q.jsonl", rows[::-1]))
    assert list(result.profiles) == list(backwards.profiles)


@pytest.mark.parametrize("other", ["I keep no greyhound.", "I keep two greyhounds.", "I keep a whippet."])
def test_a_number_a_negation_or_another_thing_makes_another_person(tmp_path: Path, other: str) -> None:
    rows = [["I keep a greyhound.", "I repair clocks."], [other, "I repair clocks."]]
    assert import_people(jsonl(tmp_path / "p.jsonl", rows)).distinct == 2


def test_longer_sentences_that_differ_in_one_word_count_as_shared() -> None:
    marks = {
        "a": ["i repair old church clocks for museums", "i keep bees", "i swim"],
        "b": ["i repair old tower clocks for museums", "i keep bees", "i skate"],
        "c": ["i do not repair old church clocks for museums", "i keep bees", "i knit"],
        "d": ["i keep geese", "i row", "i knit socks"],
    }
    # a-b share two of three; c denies what a says, and the bees alone are less than half; three words are too few to differ in one.
    assert clusters_of(marks) == {"a": "a", "b": "a", "c": "c", "d": "d"}


def test_the_cluster_of_a_person_without_relatives_is_their_own_id(tmp_path: Path) -> None:
    shared = [SHEETS[0], [*SHEETS[0][:2], "I brew ale.", "I own a canoe."], SHEETS[1]]
    first, second, third = import_people(jsonl(tmp_path / "p.jsonl", shared)).profiles
    assert first.cluster == second.cluster == min(first.id, second.id)
    assert third.cluster == third.id


def test_thousands_of_sheets_with_common_sentences_cluster_quickly() -> None:
    marks = {f"p{i:05d}": [f"s{i}", f"t{i // 3}", f"u{i % 4000}", "common" if i % 40 == 0 else f"v{i}"] for i in range(12_000)}
    clusters = clusters_of(marks)
    assert len(set(clusters.values())) > 3000


def test_an_unreadable_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        import_people(tmp_path / "none.jsonl")
    (tmp_path / "p.json").write_text(json.dumps(SHEETS))
    with pytest.raises(InputError, match="unknown type"):
        import_people(tmp_path / "p.json")
