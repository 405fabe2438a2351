"""Files of people: one bad row never stops the rest, an unreadable file says why, and nothing is held in memory."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.profiles import limits
from engine.profiles.reading import read_people
from engine.profiles.rows import raw_rows
from engine.profiles.validation import BadRow
from engine.profiles.writing import write_people
from engine.records import Profile

from .made_up_people import jsonl, person


def outcomes(path: Path) -> list[tuple[int, str]]:
    return [(line, found.id if isinstance(found, Profile) else found.reason) for line, found in read_people(path)]


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        list(read_people(path))
    assert caught.value.file == str(path)
    assert caught.value.remedy
    return caught.value


def test_bad_lines_are_reported_in_their_place_and_the_rest_is_read(tmp_path: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    long = b'"' + b"x" * limits.MAX_LINE_BYTES + b'"'
    rows = [person(1), b'{"id": "p-2", ', b"", person(3), b"[1, 2]", deep, long, b"1" * 5000, person(9)]
    found = outcomes(jsonl(tmp_path / "p.jsonl", rows))
    assert [line for line, _ in found] == [1, 2, 4, 5, 6, 7, 8, 9]
    texts = dict(found)
    assert (texts[1], texts[4], texts[9]) == ("p-1", "p-3", "p-9")
    assert "broken JSON" in texts[2]
    assert "not an object" in texts[5]
    assert "nested" in texts[6]
    assert "longer than 8 MiB" in texts[7]
    assert texts[8]


def test_json_that_says_nan_is_refused_where_it_stands(tmp_path: Path) -> None:
    row = json.dumps(person(embeddings=[[1.0, float("nan")], [1.0, 2.0]])).encode()
    found = [found for _, found in read_people(jsonl(tmp_path / "p.jsonl", [row]))]
    assert isinstance(found[0], BadRow)
    assert found[0].field == "embeddings[0][1]"


def test_escaped_lone_surrogates_are_bad_and_whole_pairs_are_characters(tmp_path: Path) -> None:
    half = json.dumps(person(1)).replace("steam", "\\ud83d").encode()
    whole = json.dumps(person(2)).replace("steam", "\\ud83d\\ude00").encode()
    (_, first), (_, second) = read_people(jsonl(tmp_path / "p.jsonl", [half, whole]))
    assert isinstance(first, BadRow)
    assert first.field == "captions[1]"
    assert isinstance(second, Profile)
    assert second.captions[1].text == "😀 over the tracks"


def test_a_byte_order_mark_and_foreign_line_ends_are_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(person(i)).encode() for i in range(2)))
    assert outcomes(path) == [(1, "p-0"), (2, "p-1")]


def test_a_missing_file_a_folder_and_a_wrong_type_are_named(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,captions")
    assert "no such file" in refused(tmp_path / "none.jsonl").args[0]
    assert "is not a file" in refused(tmp_path).args[0]
    assert "unknown type" in refused(tmp_path / "p.csv").args[0]


@pytest.mark.parametrize("content", [b"", b"\n \n\n"])
def test_a_file_without_rows_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.jsonl").write_bytes(content)
    assert "no rows" in refused(tmp_path / "p.jsonl").args[0]


def test_text_that_is_not_utf8_names_its_line(tmp_path: Path) -> None:
    error = refused(jsonl(tmp_path / "p.jsonl", [person(1), '{"id": "Zoë"}'.encode("latin-1")]))
    assert error.line == 2
    assert "UTF-8" in error.args[0]
    (tmp_path / "wide.jsonl").write_bytes(json.dumps(person()).encode("utf-16"))
    assert refused(tmp_path / "wide.jsonl").line == 1


def profiles(count: int) -> Iterator[Profile]:
    for i in range(count):
        found = next(iter(read_raw(person(i))))
        yield found


def read_raw(raw: dict[str, Any]) -> Iterator[Profile]:
    from engine.profiles.validation import check_row

    found = check_row(raw, 1)
    assert isinstance(found, Profile)
    yield found


def test_a_truncated_or_foreign_parquet_file_is_refused(tmp_path: Path) -> None:
    whole = tmp_path / "p.parquet"
    write_people(profiles(20), whole)
    for name, data in (("cut", whole.read_bytes()[:-40]), ("none", b"not parquet at all"), ("empty", b"")):
        path = tmp_path / f"{name}.parquet"
        path.write_bytes(data)
        assert "Parquet" in refused(path).args[0]


def test_damaged_pages_are_an_input_error_and_no_crash(tmp_path: Path) -> None:
    whole = tmp_path / "p.parquet"
    write_people(profiles(200), whole)
    data = bytearray(whole.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    whole.write_bytes(data)
    assert "Parquet" in refused(whole).args[0]


def test_a_missing_column_and_no_rows_are_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a"], "text": ["b"]}), tmp_path / "p.parquet")
    assert refused(tmp_path / "p.parquet").field == "captions"
    pq.write_table(pa.table({"id": pa.array([], pa.string()), "captions": pa.array([], pa.list_(pa.string()))}), tmp_path / "e.parquet")
    assert "no rows" in refused(tmp_path / "e.parquet").args[0]


def test_parquet_rows_are_checked_like_lines_and_counted_from_one(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": ["a", None, "c", "a"],
            "captions": [["one"], ["two"], None, ["four"]],
            "summary_given": ["A.", "B.", "C.", "D."],
            "extra": [1, 2, 3, 4],
        }
    )
    pq.write_table(table, tmp_path / "p.parquet")
    found = [found for _, found in read_people(tmp_path / "p.parquet")]
    assert isinstance(found[0], Profile)
    assert [(row.line, row.field) for row in found if isinstance(row, BadRow)] == [(2, "id"), (3, "captions"), (4, "id")]


def test_parquet_bytes_that_are_not_utf8_spoil_only_their_row(tmp_path: Path) -> None:
    ids = pa.array([b"a", b"\xff\xfe", b"c"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": ids, "captions": [["x"], ["y"], ["z"]], "summary_given": ["A.", "B.", "C."]}), tmp_path / "p.parquet")
    assert [line for line, found in read_people(tmp_path / "p.parquet") if isinstance(found, Profile)] == [1, 3]


def test_lines_are_read_only_when_asked_for(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", [person(i) for i in range(50)] + ["é".encode("latin-1")])
    rows = read_people(path)
    assert [next(rows)[0] for _ in range(50)] == list(range(1, 51))  # the broken line 51 has not been touched
    with pytest.raises(InputError):
        next(rows)


def test_parquet_batches_hold_at_most_256_rows(tmp_path: Path) -> None:
    write_people(profiles(600), tmp_path / "p.parquet")
    file = pq.ParquetFile(tmp_path / "p.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [256, 256, 88]
    assert sum(1 for _ in raw_rows(tmp_path / "p.parquet")) == 600


def test_ten_thousand_people_would_be_checked_within_thirty_seconds(tmp_path: Path) -> None:
    many = [
        {"text": f"a post with a brass samovar {i} in grey light", "elements": {"objects": ["brass samovar"], "lighting": ["grey light"]}}
        for i in range(30)
    ]
    path = jsonl(tmp_path / "p.jsonl", [person(i, captions=many) for i in range(400)])
    began = time.process_time()
    assert sum(isinstance(found, Profile) for _, found in read_people(path)) == 400
    assert (time.process_time() - began) * 25 < 30
