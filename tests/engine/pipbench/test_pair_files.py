"""Files of pairs: the release's reads, ours adds to it, and no path leaves the data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.images.opening import MISSING, OUTSIDE, ImageFolder
from engine.pipbench.pair_files import Pair, models_of, read_pairs, read_people, write_pairs

RELEASED = {"id": 0, "model_A": "FABRIC", "model_B": "DreamBooth", "image_A": "fabric/12.png", "image_B": "dreambooth/12.png"}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_of_the_release_is_read_and_its_sample_is_what_the_images_are_named_by(tmp_path: Path) -> None:
    found = read_pairs(jsonl(tmp_path / "pairs.jsonl", RELEASED, RELEASED | {"id": 1, "image_A": "a/3.png", "image_B": "b/4.png"}))
    assert found.rejected == ()
    assert found.pairs[0] == Pair("0", "FABRIC", "DreamBooth", "fabric/12.png", "dreambooth/12.png", "12", "")
    assert found.pairs[1].sample == "pair-1"
    assert models_of(found.pairs) == ("DreamBooth", "FABRIC")


def test_what_is_written_is_read_again_and_has_the_fields_of_the_release(tmp_path: Path) -> None:
    pairs = (
        Pair("7", "a", "b", "a/1.png", "b/1.png", "1", "person-3", (False, True)),
        Pair("x-1", "a", "c", "a/2.png", "c/2.png", "2", ""),
    )
    path = tmp_path / "pairs.jsonl"
    assert write_pairs(path, pairs) == 2
    assert read_pairs(path).pairs == pairs
    first = json.loads(path.read_text().splitlines()[0])
    assert {name: first[name] for name in RELEASED} == {"id": 7, "model_A": "a", "model_B": "b", "image_A": "a/1.png", "image_B": "b/1.png"}


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        ("{", "", "unreadable-row"),
        ([1], "", "not-an-object"),
        ({name: value for name, value in RELEASED.items() if name != "image_B"}, "image_B", "missing"),
        (RELEASED | {"model_A": 1.5}, "model_A", "string-type"),
        (RELEASED | {"model_A": "DreamBooth"}, "", "same-model"),
        (RELEASED | {"image_A": "../12.png"}, "image_A", OUTSIDE),
        (RELEASED | {"image_A": "/etc/passwd"}, "image_A", OUTSIDE),
        (RELEASED | {"image_A": "C:\\secret.png"}, "image_A", OUTSIDE),
        (RELEASED | {"image_A": "a\\..\\..\\12.png"}, "image_A", OUTSIDE),
        (RELEASED | {"flips": [True, True]}, "", "same-order"),
        (RELEASED | {"id": True}, "id", "string-type"),
        (RELEASED | {"id": "a\u0000b"}, "id", "unprintable"),
    ],
)
def test_a_bad_row_is_named_and_the_others_go_on(tmp_path: Path, row: object, field: str, code: str) -> None:
    path = jsonl(tmp_path / "pairs.jsonl", row, RELEASED | {"id": 9})
    found = read_pairs(path)
    assert [pair.id for pair in found.pairs] == ["9"]
    (rejected,) = found.rejected
    assert (rejected.file, rejected.line, rejected.field, rejected.code) == (str(path), 1, field, code)
    assert rejected.reason
    assert rejected.remedy


def test_an_id_stands_once(tmp_path: Path) -> None:
    found = read_pairs(jsonl(tmp_path / "pairs.jsonl", RELEASED, RELEASED | {"image_A": "other/12.png"}))
    assert len(found.pairs) == 1
    assert (found.rejected[0].line, found.rejected[0].code) == (2, "duplicate-pair")
    assert "line 1" in found.rejected[0].reason


def test_with_the_folder_at_hand_a_missing_image_and_a_link_that_leads_out_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name in ("fabric", "dreambooth"):
        (data / name).mkdir(parents=True)
        (data / name / "12.png").write_bytes(b"image")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (data / "fabric" / "13.png").symlink_to(tmp_path / "secret.png")
    rows = (RELEASED, RELEASED | {"id": 1, "image_A": "fabric/13.png"}, RELEASED | {"id": 2, "image_B": "dreambooth/14.png"})
    path = jsonl(tmp_path / "pairs.jsonl", *rows)
    found = read_pairs(path, ImageFolder(data))
    assert [pair.id for pair in found.pairs] == ["0"]
    assert [(one.line, one.field, one.code) for one in found.rejected] == [(2, "image_A", OUTSIDE), (3, "image_B", MISSING)]
    assert not any(str(data) in one.reason for one in found.rejected)


@pytest.mark.parametrize("name", ["metadata.json", "metadata.jsonl"])
def test_people_of_samples_come_from_the_datas_own_list(tmp_path: Path, name: str) -> None:
    rows = [{"id": n, "image_id": n // 2, "category": "real", "prompt": "a cup", "ref_images": [], "gt_images": "x.png"} for n in range(4)]
    path = tmp_path / name
    path.write_text(json.dumps(rows) if name.endswith(".json") else "\n".join(json.dumps(row) for row in rows))
    assert read_people(path) == {"0": "0", "1": "0", "2": "1", "3": "1"}


@pytest.mark.parametrize("text", ["{", "{}", '[{"id": 0}]'])
def test_a_list_of_samples_that_cannot_be_relied_on_is_refused_as_a_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "metadata.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"metadata\.json"):
        read_people(path)
