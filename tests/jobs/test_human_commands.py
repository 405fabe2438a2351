"""`mien human` and `mien pairs` as they are typed: a study from blank sheets to a file of answers, and pairs for a judge."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.human.reading import read_human
from engine.human.records import Rating
from engine.images.encoding import encoded
from engine.pipbench.pair_files import read_pairs
from jobs.cli import exit_code

METHODS = ["baseline", "vprag"]


def mien(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def events(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    rows = [{"profile": f"p{n}", "method": method, "text": f"tea no. {n}{METHODS.index(method)}"} for n in range(6) for method in METHODS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A folder of pictures that say in their text who drew them."""
    from PIL import Image, PngImagePlugin

    rng = np.random.Generator(np.random.PCG64(1))
    for method in METHODS:
        (tmp_path / "data" / method).mkdir(parents=True)
        for sample in (0, 1, 2, 10):
            told = PngImagePlugin.PngInfo()
            told.add_text("parameters", f"drawn by {method}")
            Image.fromarray(rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)).save(
                tmp_path / "data" / method / f"{sample}.png", pnginfo=told
            )
    return tmp_path / "data"


def fill(path: Path, score: str) -> None:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows([row | {"score": score} for row in rows])


def test_a_study_goes_from_blank_sheets_to_one_file_of_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str], outputs: Path) -> None:
    study, key = tmp_path / "study", tmp_path / "study-key.json"
    arguments = ("human", "sheet", outputs, "--kind", "rating", "--out", study, "--annotator", "ann", "--annotator", "bea", "--json")
    code, out, _ = mien(capsys, *arguments)
    assert code == 0
    assert events(out)[-1] | {"folder": ""} == {
        "event": "done",
        "questions": 24,
        "sheets": 2,
        "images": 0,
        "folder": "",
        "key": str(key),
    }
    assert not any(method in (study / "sheet-1.csv").read_text() for method in METHODS)
    assert mien(capsys, *arguments)[0] == 2  # it is there already
    sheets = [study / "sheet-1.csv", study / "sheet-2.csv"]
    for sheet, score in zip(sheets, ("4", "1.5"), strict=True):
        fill(sheet, score)
    code, out, _ = mien(capsys, "human", "import", *sheets, "--key", key, "--out", tmp_path / "human.parquet")
    assert code == 0
    assert "24 answers (rating)" in out
    found = read_human(tmp_path / "human.parquet")
    assert {(row.annotator, row.score) for row in found.rows if isinstance(row, Rating)} == {("ann", 4.0), ("bea", 1.5)}
    assert {row.method for row in found.rows if isinstance(row, Rating)} == set(METHODS)
    code, out, _ = mien(capsys, "human", "check", tmp_path / "human.parquet")
    assert (code, out.splitlines()[-1]) == (0, "24 good, 0 bad, 2 annotators (rating)")


def test_pictures_reach_annotators_without_their_names_or_what_their_files_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Path
) -> None:
    listed = tmp_path / "outputs.csv"
    listed.write_text("profile,method,image\n" + "".join(f"p{n},{method},{method}/{n}.png\n" for n in range(3) for method in METHODS))
    code, _, _ = mien(capsys, "human", "sheet", listed, "--kind", "pair", "--out", tmp_path / "study", "--images", drawn)
    assert code == 0
    pictures = list((tmp_path / "study" / "images").iterdir())
    assert len(pictures) == 6
    assert not any(method.encode() in file.read_bytes() or method in file.name for file in pictures for method in METHODS)
    source = (drawn / METHODS[0] / "0.png").read_bytes()
    assert METHODS[0].encode() in source


def test_an_image_outside_of_the_folder_stops_a_sheet_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Path
) -> None:
    (tmp_path / "secret.png").write_bytes(encoded(np.zeros((4, 4, 3), dtype=np.uint8), "png"))
    listed = tmp_path / "outputs.jsonl"
    listed.write_text("".join(json.dumps({"profile": "p", "method": method, "image": "../secret.png"}) + "\n" for method in METHODS))
    code, _, err = mien(capsys, "human", "sheet", listed, "--kind", "pair", "--out", tmp_path / "study", "--images", drawn)
    assert code == 2
    assert "leads out" in err
    assert not (tmp_path / "study").exists()


def test_a_key_is_not_put_where_annotators_find_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], outputs: Path) -> None:
    study = tmp_path / "study"
    code, _, err = mien(capsys, "human", "sheet", outputs, "--kind", "rating", "--out", study, "--key", study / "key.json")
    assert code == 2
    assert "inside of what annotators get" in err


def test_bad_answers_are_named_by_check_and_stop_an_import_unless_they_may_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "human.csv", tmp_path / "human.jsonl"
    file.write_text("profile,method,annotator,score\np1,vprag,a,4\np1,vprag,a,4\np1,brag,a,7\n")
    code, told, _ = mien(capsys, "human", "check", file, "--json")
    assert code == 2
    assert [(row["line"], row["code"]) for row in events(told) if row["event"] == "bad"] == [(3, "duplicate-row"), (4, "less-than-equal")]
    assert events(told)[-1]["few"] == ["a"]
    code, _, err = mien(capsys, "human", "import", file, "--out", out)
    assert code == 2
    assert "human.csv:3" in err
    assert "--max-failed 2" in err
    assert not out.exists()
    assert mien(capsys, "human", "import", file, "--out", out, "--max-failed", 2)[0] == 0
    assert len(out.read_text().splitlines()) == 1


def test_another_scale_is_refused_and_a_typo_is_helped(tmp_path: Path, capsys: pytest.CaptureFixture[str], outputs: Path) -> None:
    file = tmp_path / "human.csv"
    file.write_text("profile,method,annotator,score\np1,vprag,a,4\n")
    code, out, _ = mien(capsys, "human", "check", file, "--scale", "1-5", "--json")
    assert (code, events(out)[-1]["code"]) == (2, "other-scale")
    code, _, err = mien(capsys, "human", "sheet", outputs, "--kind", "ratings", "--out", tmp_path / "s")
    assert code == 2
    assert "rating" in err


def test_pairs_are_made_of_the_samples_that_methods_share(tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Path) -> None:
    (drawn / "vprag" / "2.png").unlink()
    metadata = drawn / "metadata.json"
    metadata.write_text(json.dumps([{"id": n, "image_id": n // 2} for n in range(4)]))
    out = tmp_path / "pairs.jsonl"
    both = ("--method", "baseline=baseline", "--method", "vprag=vprag")
    code, told, err = mien(capsys, "pairs", "make", drawn, *both, "--out", out, "--metadata", metadata, "--orders", "both", "--json")
    assert code == 0
    assert events(told)[-1] == {"event": "done", "pairs": 2, "questions": 4, "samples": 2, "short": 2, "file": str(out)}
    assert "1 sample not in" in err
    pairs = read_pairs(out).pairs
    assert [(pair.sample, pair.profile, pair.image_a) for pair in pairs] == [("0", "0", "baseline/0.png"), ("1", "0", "baseline/1.png")]
    code, _, err = mien(capsys, "pairs", "make", drawn, *both, "--out", tmp_path / "again.jsonl")
    assert code == 0
    assert "a person of its own" in err
    assert [pair.sample for pair in read_pairs(tmp_path / "again.jsonl").pairs] == ["0", "1", "10"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["a=baseline"], "nothing to be compared"),
        (["a=baseline", "vprag"], "NAME=FOLDER"),
        (["a=baseline", "a=vprag"], "twice"),
        (["a=baseline", "b=none"], "no such folder"),
        (["a=baseline", "b=.."], "leads out"),
    ],
)
def test_methods_that_cannot_be_paired_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Path, given: list[str], told: str
) -> None:
    (drawn.parent / "1.png").write_bytes((drawn / "vprag" / "1.png").read_bytes())
    methods = [part for one in given for part in ("--method", one)]
    code, _, err = mien(capsys, "pairs", "make", drawn, *methods, "--out", tmp_path / "pairs.jsonl")
    assert code == 2
    assert told in err
    assert not (tmp_path / "pairs.jsonl").exists()
