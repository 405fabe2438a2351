"""Files of human ratings: three kinds, three formats, every bad row named."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.human.reading import kind_of, read_human
from engine.human.records import Best, Choice, Kind, Rating, Row
from engine.human.writing import SCHEMAS, write_human

ROWS: dict[Kind, tuple[Row, ...]] = {
    Kind.RATING: (
        Rating(profile="p1", query="q1", method="vprag", annotator="7", score=4, unit="abc"),
        Rating(profile="p1", method="brag", annotator="=cmd()", score=3.5, renderer="-x", backbone="+b"),
    ),
    Kind.PAIR: (
        Choice(profile="p1", first="vprag", second="brag", choice="first", annotator="a"),
        Choice(profile="p1", first="brag", second="vprag", choice="tie", annotator="a"),
    ),
    Kind.BEST: (Best(profile="p1", options=("vprag", "brag", "@persona"), choice="@persona", annotator="a"),),
}
RATING = {"profile": "p1", "method": "vprag", "annotator": "a", "score": 4}
PAIR = {"profile": "p1", "first": "vprag", "second": "brag", "choice": "tie", "annotator": "a"}
BEST = {"profile": "p1", "options": ["vprag", "brag"], "choice": "brag", "annotator": "a"}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("kind", Kind)
def test_what_is_written_is_read_again_in_every_format(tmp_path: Path, kind: Kind, ending: str) -> None:
    path = tmp_path / f"human.{ending}"
    write_human(path, kind, ROWS[kind])
    assert kind_of(path) is kind
    found = read_human(path)
    assert (found.kind, found.rows, found.rejected) == (kind, ROWS[kind], ())
    if ending == "parquet":
        assert pq.read_schema(path) == SCHEMAS[kind]


def test_no_cell_of_a_written_table_runs_in_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    write_human(path, Kind.RATING, ROWS[Kind.RATING])
    cells = [cell for line in path.read_text().splitlines() for cell in line.split(",")]
    assert "'=cmd()" in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        ("{", "", "unreadable-row"),
        ("[]", "", "not-an-object"),
        (RATING | {"score": 6}, "score", "less-than-equal"),
        (RATING | {"score": -1}, "score", "greater-than-equal"),
        (RATING | {"score": "good"}, "score", "float-parsing"),
        (RATING | {"score": True}, "score", "no-number"),
        (RATING | {"score": None}, "score", "float-type"),
        ('{"profile": "p1", "method": "vprag", "annotator": "a", "score": NaN}', "score", "less-than-equal"),
        (RATING | {"scale": "1-5"}, "scale", "other-scale"),
        (RATING | {"annotator": " "}, "annotator", "string-too-short"),
        ({"profile": "p1", "method": "vprag", "score": 4}, "annotator", "missing"),
        (RATING | {"method": "a|b"}, "method", "bar-in-name"),
    ],
)
def test_a_bad_rating_is_named_with_line_field_and_remedy(tmp_path: Path, row: object, field: str, code: str) -> None:
    path = jsonl(tmp_path / "human.jsonl", row, RATING | {"profile": "p2"})
    found = read_human(path, Kind.RATING)
    assert [one.profile for one in found.rows] == ["p2"]
    (rejected,) = found.rejected
    assert (rejected.file, rejected.line, rejected.field, rejected.code) == (str(path), 1, field, code)
    assert rejected.reason
    assert rejected.remedy


@pytest.mark.parametrize(
    ("row", "kind", "code"),
    [
        (PAIR | {"choice": "left"}, Kind.PAIR, "literal-error"),
        (PAIR | {"second": "vprag"}, Kind.PAIR, "same-method"),
        (BEST | {"choice": "persona"}, Kind.BEST, "no-option"),
        (BEST | {"options": ["brag"]}, Kind.BEST, "too-short"),
        (BEST | {"options": ["brag", "brag"]}, Kind.BEST, "same-method"),
    ],
)
def test_a_bad_choice_is_named(tmp_path: Path, row: object, kind: Kind, code: str) -> None:
    found = read_human(jsonl(tmp_path / "human.jsonl", row), kind)
    assert found.rows == ()
    assert [one.code for one in found.rejected] == [code]


def test_a_second_answer_to_one_question_is_refused_and_the_other_order_is_another_question(tmp_path: Path) -> None:
    ratings = read_human(jsonl(tmp_path / "r.jsonl", RATING, RATING | {"score": 1}, RATING, RATING | {"annotator": "b"}))
    assert len(ratings.rows) == 2
    assert [(one.line, one.code) for one in ratings.rejected] == [(2, "duplicate-row"), (3, "duplicate-row")]
    assert "something else" in ratings.rejected[0].reason
    assert "the same" in ratings.rejected[1].reason
    pairs = read_human(jsonl(tmp_path / "p.jsonl", PAIR, PAIR | {"first": "brag", "second": "vprag"}, PAIR))
    assert (len(pairs.rows), len(pairs.rejected)) == (2, 1)
    best = read_human(jsonl(tmp_path / "b.jsonl", BEST, BEST | {"options": ["brag", "vprag"], "choice": "vprag"}))
    assert (len(best.rows), len(best.rejected)) == (1, 1)


def test_a_table_of_another_country_and_a_row_too_wide_are_read_as_far_as_they_can_be(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text('\ufeffProfile;Method;Annotator;Score\np1;vprag;a;4\np1;"brag; long";a;5\n;;;\np2;x;a;1;9\np3;x;a;\n', encoding="utf-8")
    found = read_human(path)
    assert [(row.profile, row.method, row.score) for row in found.rows if isinstance(row, Rating)] == [
        ("p1", "vprag", 4),
        ("p1", "brag; long", 5),
    ]
    assert [(one.line, one.field, one.code) for one in found.rejected] == [(5, "", "unreadable-row"), (6, "score", "missing")]


def test_a_file_of_another_scale_or_of_no_kind_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "human.jsonl", RATING)
    with pytest.raises(InputError, match="1-5") as error:
        read_human(path, scale="1-5")
    assert error.value.code == "other-scale"
    with pytest.raises(InputError, match="no kind of human rating"):
        read_human(jsonl(tmp_path / "other.jsonl", {"text": "hello"}))
    table = tmp_path / "human.csv"
    table.write_text("profile,method,score\np1,vprag,4\n")
    with pytest.raises(InputError, match="annotator"):
        read_human(table, Kind.RATING)
    with pytest.raises(InputError, match=r"cannot be written as \.xlsx"):
        write_human(tmp_path / "human.xlsx", Kind.RATING, ROWS[Kind.RATING])
