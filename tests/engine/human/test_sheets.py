"""Blank sheets: no method's name gets out, orders are drawn, what is filled in is read back."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.human.blinding import Output, Sheet, blank_sheets
from engine.human.records import Best, Choice, Kind, Rating
from engine.human.sheets import read_key, read_sheet, write_key, write_sheet

METHODS = ["baseline", "persona", "brag", "vprag"]


def outputs(people: int = 20, images: bool = False) -> list[Output]:
    return [
        Output(
            profile=f"p{person}",
            query="q1",
            method=method,
            renderer="tiny",
            about="A keeper of teapots",
            asked="a quiet evening",
            **({"image": f"out/{method}/{person}.PNG"} if images else {"text": f"evening {person} no. {METHODS.index(method) * 7 % 5}"}),
        )
        for person in range(people)
        for method in METHODS
    ]


def filled(path: Path, sheet: Sheet, answer: dict[str, str] | str) -> Path:
    """The sheet as somebody fills it in and saves it."""
    write_sheet(path, sheet)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    column = "score" if "score" in rows[0] else "choice"
    for row in rows:
        row[column] = answer if isinstance(answer, str) else answer.get(row["item"], "")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("kind", Kind)
def test_no_method_or_file_name_is_in_a_sheet(tmp_path: Path, kind: Kind, images: bool) -> None:
    (sheet,), key = blank_sheets(outputs(images=images), kind, seed=1)
    write_sheet(tmp_path / "sheet.csv", sheet)
    text = (tmp_path / "sheet.csv").read_text()
    assert not any(name in text for name in (*METHODS, "tiny", "out/"))
    assert "A keeper of teapots" in text
    assert len(sheet.rows) == {Kind.RATING: 80, Kind.PAIR: 120, Kind.BEST: 20}[kind]
    assert set(key.items) == {row["item"] for row in sheet.rows}
    if images:
        assert all(name in text and name.startswith("images/") and name.endswith(".png") for name in sheet.images)
        assert set(sheet.images.values()) == {output.image for output in outputs(images=True)}


def test_letters_and_order_change_from_case_to_case_and_from_annotator_to_annotator_but_not_from_run_to_run() -> None:
    sheets, key = blank_sheets(outputs(), Kind.RATING, seed=1, annotators=("a", "b"))
    letters = Counter((row["letter"], key.items[row["item"]]["method"]) for row in sheets[0].rows)
    assert len(letters) == 16  # every method gets every letter
    assert len({key.items[row["item"]]["profile"] for row in sheets[0].rows[:12]}) == 3  # a case stays together
    orders = [[key.items[row["item"]]["profile"] for row in sheet.rows] for sheet in sheets]
    assert orders[0] != orders[1]
    assert blank_sheets(outputs(), Kind.RATING, seed=1, annotators=("a", "b"))[0] == sheets
    assert blank_sheets(outputs(), Kind.RATING, seed=2, annotators=("a", "b"))[0] != sheets


def test_each_method_is_shown_first_about_half_of_the_time() -> None:
    (sheet,), key = blank_sheets(outputs(60), Kind.PAIR, seed=3)
    first = Counter(key.items[row["item"]]["first"] for row in sheet.rows)
    assert all(60 <= first[method] <= 120 for method in METHODS)


def test_filled_ratings_come_back_under_their_methods_and_blank_rows_are_counted(tmp_path: Path) -> None:
    (sheet, _), key = blank_sheets(outputs(), Kind.RATING, seed=1, annotators=("ann", "bea"))
    write_key(tmp_path / "key.json", key)
    given = {row["item"]: str(METHODS.index(key.items[row["item"]]["method"]) + 0.5) for row in sheet.rows[:-3]}
    found = read_sheet(filled(tmp_path / "sheet.csv", sheet, given), read_key(tmp_path / "key.json"))
    assert (len(found.rows), found.blank, found.rejected) == (77, 3, ())
    for row in found.rows:
        assert isinstance(row, Rating)
        assert (row.annotator, row.query, row.renderer, row.score) == ("ann", "q1", "tiny", METHODS.index(row.method) + 0.5)


def test_filled_choices_come_back_as_sides_and_letters_as_methods(tmp_path: Path) -> None:
    (sheet,), key = blank_sheets(outputs(5), Kind.PAIR, seed=1)
    found = read_sheet(filled(tmp_path / "pairs.csv", sheet, "Second"), key, "ann")
    assert {row.choice for row in found.rows if isinstance(row, Choice)} == {"second"}
    assert len(found.rows) == 30
    (sheet,), key = blank_sheets(outputs(5), Kind.BEST, seed=1)
    found = read_sheet(filled(tmp_path / "best.csv", sheet, " c "), key, "ann")
    assert [row.choice for row in found.rows if isinstance(row, Best)] == [key.items[row["item"]]["options"][2] for row in sheet.rows]


def test_bad_answers_and_foreign_items_are_named(tmp_path: Path) -> None:
    (sheet,), key = blank_sheets(outputs(2), Kind.BEST, seed=1)
    found = read_sheet(filled(tmp_path / "best.csv", sheet, "E"), key, "ann")
    assert [(one.line, one.code) for one in found.rejected] == [(2, "no-option"), (3, "no-option")]
    assert [one.code for one in read_sheet(filled(tmp_path / "best.csv", sheet, "A"), key).rejected] == [
        "string-too-short"
    ] * 2  # by nobody
    _, other = blank_sheets(outputs(2), Kind.BEST, seed=2)
    assert [one.code for one in read_sheet(filled(tmp_path / "best.csv", sheet, "A"), other, "ann").rejected] == ["unknown-item"] * 2


def test_text_that_a_spreadsheet_would_run_is_shown_and_not_run(tmp_path: Path) -> None:
    hostile = [Output(profile="p", method=method, text='=HYPERLINK("http://x", "y")', about="@a", asked="-1") for method in ("a", "b")]
    (sheet,), _ = blank_sheets(hostile, Kind.PAIR, seed=1)
    write_sheet(tmp_path / "sheet.csv", sheet)
    with (tmp_path / "sheet.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert cells.count('\'=HYPERLINK("http://x", "y")') == 2


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two outputs"):
        blank_sheets([*outputs(1), outputs(1)[0]], Kind.RATING, seed=1)
    with pytest.raises(ValueError, match="named twice"):
        blank_sheets(outputs(1), Kind.RATING, seed=1, annotators=("a", "a"))
    for text in ("{", "[]", json.dumps({"kind": "other", "items": {}})):
        (tmp_path / "key.json").write_text(text)
        with pytest.raises(InputError, match="no key of a study"):
            read_key(tmp_path / "key.json")
