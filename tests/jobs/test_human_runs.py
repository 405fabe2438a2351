"""`mien human outputs` and `mien human add`: from a run to blinded sheets, and what people answered into the run's report."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.human.records import SETTING
from engine.report.cases import POOLED
from engine.report.judging.rated import HUMAN
from engine.store import names
from jobs.cli import exit_code
from jobs.human_answers import answer_files
from jobs.opened_run import OpenedRun
from tests.jobs.graded import GRADES, graded
from tests.jobs.in_process import evaluated

PEOPLE = 8
JUDGING = {"judges": [{"name": "script-fair", "script": {"scale": 1.0, "tie": 0.5}}], "methods": list(GRADES)}
ANNOTATORS = ("ann", "ben")


def mien(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def told(run: OpenedRun) -> dict[str, Any]:
    """The judges' summary as the report has it."""
    return dict(json.loads(run.backend.read(names.run(run.plan.run, "report", "judging.json"))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("human-runs")


@pytest.fixture(scope="module")
def choices(folder: Path) -> Mapping[str, Any]:
    return graded(folder, PEOPLE)


@pytest.fixture(scope="module")
def run(folder: Path, choices: Mapping[str, Any]) -> OpenedRun:
    return evaluated(folder / "store", "graded", **choices, judging=JUDGING)


@pytest.fixture(scope="module")
def outputs(folder: Path, run: OpenedRun) -> Path:
    path = folder / "outputs.jsonl"
    assert exit_code(["human", "outputs", run.name, "--store", str(folder / "store"), "--out", str(path)]) == 0
    return path


def sheets(outputs: Path, kind: str, study: Path) -> tuple[list[Path], Path]:
    """Blank sheets for two annotators, and their key."""
    named = [part for name in ANNOTATORS for part in ("--annotator", name)]
    assert exit_code(["human", "sheet", str(outputs), "--kind", kind, "--out", str(study), *named]) == 0
    return sorted(study.glob("sheet-*.csv")), study.with_name(f"{study.name}-key.json")


def grade(text: str) -> int:
    """What the graded methods' prompts say of themselves."""
    return int(text.split("grade ")[1][0])


def fill(sheet: Path, column: str) -> None:
    """Answer by the grades, as somebody would who sees nothing but the sheet."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row[column] = str(grade(row["output"])) if column == "score" else max(("first", "second"), key=lambda side: grade(row[side]))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_outputs_are_what_every_judged_method_made_with_the_case_it_belongs_to(outputs: Path) -> None:
    rows = [json.loads(line) for line in outputs.read_text().splitlines()]
    cases = defaultdict[tuple[str, ...], list[str]](list)
    for row in rows:
        cases[tuple(row[name] for name in ("profile", "query", *SETTING))].append(row["method"])
    assert len(cases) == PEOPLE
    assert all(sorted(found) == sorted(GRADES) for found in cases.values())
    assert all(grade(row["text"]) == GRADES[row["method"]] for row in rows)
    assert all(row["about"].count("\n- ") >= 1 and row["asked"] for row in rows)


def test_sheets_come_back_as_human_raters_of_the_report(
    tmp_path: Path, folder: Path, run: OpenedRun, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, column in (("rating", "score"), ("pair", "choice")):
        blank, key = sheets(outputs, kind, tmp_path / kind)
        assert len(blank) == len(ANNOTATORS)
        for sheet in blank:
            with sheet.open(newline="") as file:
                cells = {cell for row in csv.DictReader(file) for cell in row.values()}
            assert not cells & {"baseline", *GRADES}
            fill(sheet, column)
        added = ("human", "add", run.name, *blank, "--key", key, "--store", folder / "store")
        code, out, err = mien(capsys, *added)
        assert code == 0, err
        assert f"({kind})" in out
        assert "there already" not in out
    code, out, _ = mien(capsys, *added)
    assert code == 0
    assert "there already" in out
    assert len(answer_files(run.backend, run.plan.run)) == 2
    pool = told(run)["pools"][0]
    by_people = {row["method"]: row["mean"] for row in pool["ratings"]["results"] if (row["metric"], row["task"]) == (HUMAN, POOLED)}
    assert by_people == GRADES
    accuracy = dict(next(row for row in pool["trust"]["accuracies"] if row["judge"] == "script-fair")["rules"])["accuracy-decided"]
    assert 0.6 < accuracy["mean"] <= 1
    assert accuracy["low"] < accuracy["mean"]


def test_a_run_without_judges_has_nobody_to_compare_people_with(
    tmp_path: Path, choices: Mapping[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    unjudged = evaluated(tmp_path / "store", "unjudged", **choices)
    answers = tmp_path / "answers.csv"
    answers.write_text("profile,method,annotator,score\np1,one,ann,4\n")
    code, _, err = mien(capsys, "human", "add", unjudged.name, answers, "--store", tmp_path / "store")
    assert code == 2
    assert "no judges" in err
    assert "section `judging`" in err


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["stranger,one,ann,4"], ["answers.csv", "profile", "about nobody of this run"]),
        (["{person},one,ann,4", "{person},two,ann,7"], ["answers.csv:3", "score", "--max-failed 1"]),
        (["{person},one,ann,4", "{person},one,ann,5"], ["answers.csv:3", "answered this already"]),
    ],
    ids=["strangers", "off the scale", "twice"],
)
def test_answers_that_cannot_be_used_are_named_and_none_is_kept(
    tmp_path: Path, folder: Path, run: OpenedRun, capsys: pytest.CaptureFixture[str], rows: list[str], expected: list[str]
) -> None:
    kept, person = answer_files(run.backend, run.plan.run), run.plan.shards[0].subjects[0].id
    answers = tmp_path / "answers.csv"
    answers.write_text("profile,method,annotator,score\n" + "".join(row.format(person=person) + "\n" for row in rows))
    code, _, err = mien(capsys, "human", "add", run.name, answers, "--store", folder / "store")
    assert code == 2
    assert [part for part in expected if part not in err] == [], err
    assert answer_files(run.backend, run.plan.run) == kept


@pytest.mark.slow
def test_images_lie_beside_the_file_and_their_names_tell_no_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, out, methods = tmp_path / "store", tmp_path / "drawn.jsonl", ("baseline", "vprag")
    drawn = evaluated(
        store, "drawn", people={"grammar": 2}, queries={"tasks": ["cultural-generation"]}, methods=list(methods), images={"gallery": 2}
    )
    code, _, err = mien(capsys, "human", "outputs", drawn.name, "--images", "--store", store, "--out", out)
    assert code == 0, err
    again = mien(capsys, "human", "outputs", drawn.name, "--images", "--store", store, "--out", tmp_path / "drawn.csv")
    assert again[0] == 2, "the folder of the images is there already"
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(row["method"] for row in rows) == sorted(methods * 2)
    assert {row["renderer"] for row in rows} == {"tiny-scenes"}
    for row in rows:
        assert (tmp_path / row["image"]).is_file()
        assert not any(method in row["image"] for method in methods)
    blank, _ = sheets(out, "pair", tmp_path / "study")
    assert len(list((tmp_path / "study" / "images").iterdir())) == len(methods) * 2 * len(blank)
    with blank[0].open(newline="") as file:
        assert all((tmp_path / "study" / row[side]).is_file() for row in csv.DictReader(file) for side in ("first", "second"))


def test_a_run_that_drew_nothing_has_no_images(folder: Path, run: OpenedRun, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = mien(capsys, "human", "outputs", run.name, "--images", "--store", folder / "store", "--out", folder / "no-images.jsonl")
    assert code == 2
    assert "drew no images" in err
    assert not (folder / "no-images.jsonl").exists()


def test_a_limit_counts_people(folder: Path, run: OpenedRun, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "limited.jsonl"
    assert mien(capsys, "human", "outputs", run.name, "--store", folder / "store", "--out", out, "--limit", 3)[0] == 0
    assert len({json.loads(line)["profile"] for line in out.read_text().splitlines()}) == 3
