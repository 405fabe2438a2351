"""People's answers beside a run: one to each question, whatever files they come in, and a corrected one never beside the old."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import CorruptObject, InputError
from engine.human.records import Best, Choice, Kind, Rating, Row
from engine.store.folder import FolderBackend
from jobs.cli import exit_code
from jobs.human_answers import add_answers, answer_files, answers_of
from tests.jobs.graded import graded
from tests.jobs.in_process import evaluated

RUN = "0123456789abcdef"
RATING = Rating(profile="p1", query="q1", writer="template", method="vprag", annotator="ann", score=4)
CHOICE = Choice(profile="p1", query="q1", first="vprag", second="brag", choice="first", annotator="ann")
CORRECTED: dict[Kind, tuple[Row, Row]] = {
    Kind.RATING: (RATING, RATING.model_copy(update={"score": 1.5})),
    Kind.PAIR: (CHOICE, CHOICE.model_copy(update={"choice": "tie"})),
}


@pytest.fixture
def backend(tmp_path: Path) -> FolderBackend:
    return FolderBackend(tmp_path / "store")


@pytest.mark.parametrize("kind", CORRECTED)
def test_a_corrected_answer_in_a_second_file_is_refused_with_annotator_case_and_remedy(backend: FolderBackend, kind: Kind) -> None:
    old, new = CORRECTED[kind]
    add_answers(backend, RUN, kind, [old])
    (file,) = answer_files(backend, RUN)
    with pytest.raises(InputError) as error:
        add_answers(backend, RUN, kind, [old.model_copy(update={"annotator": "ben"}), new])
    told = str(error.value)
    assert all(part in told for part in ("ann on p1, q1", "vprag", backend.locate(file), "Leave this answer out"))
    assert error.value.code == "contradiction"
    assert answers_of(backend, answer_files(backend, RUN)) == [old]


def test_the_same_answer_in_two_files_counts_once_even_where_one_names_its_unit(backend: FolderBackend) -> None:
    other = RATING.model_copy(update={"method": "brag"})
    assert add_answers(backend, RUN, Kind.RATING, [RATING])
    assert add_answers(backend, RUN, Kind.RATING, [RATING.model_copy(update={"unit": "ab12"}), other])
    kept = answers_of(backend, answer_files(backend, RUN))
    assert sorted((row.method, row.score) for row in kept if isinstance(row, Rating)) == [
        ("brag", 4),
        ("vprag", 4),
    ]


def test_questions_of_two_kinds_are_two_questions_and_so_are_two_orders(backend: FolderBackend) -> None:
    turned = CHOICE.model_copy(update={"first": "brag", "second": "vprag"})
    best = Best(profile="p1", query="q1", options=("brag", "vprag"), choice="vprag", annotator="ann")
    kinds: dict[Kind, Sequence[Row]] = {Kind.RATING: [RATING], Kind.PAIR: [CHOICE, turned], Kind.BEST: [best]}
    for kind, rows in kinds.items():
        assert add_answers(backend, RUN, kind, rows)
    assert len(answers_of(backend, answer_files(backend, RUN))) == 4


def test_files_that_contradict_each_other_are_no_answers(tmp_path: Path, backend: FolderBackend) -> None:
    # Two who add at the same moment do not see each other's file.
    for folder, row in (("store", RATING), ("other", CORRECTED[Kind.RATING][1])):
        add_answers(FolderBackend(tmp_path / folder), RUN, Kind.RATING, [row])
    (theirs,) = answer_files(other := FolderBackend(tmp_path / "other"), RUN)
    backend.create(theirs, other.read(theirs))
    with pytest.raises(CorruptObject, match="ann on p1, q1, template, vprag") as error:
        answers_of(backend, answer_files(backend, RUN))
    assert all(name in str(error.value) for name in answer_files(backend, RUN))


def test_the_command_refuses_corrections_and_best_of_k_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judging = {"judges": [{"name": "script-fair", "script": {}}]}
    run = evaluated(tmp_path / "store", "graded", **graded(tmp_path, 3), judging=judging)
    person = run.plan.shards[0].subjects[0].id
    files = {
        "old": f"profile,method,annotator,score\n{person},one,ann,4\n",
        "new": f"profile,method,annotator,score\n{person},one,ann,2\n",
        "best": f"profile,options,choice,annotator\n{person},one|two,one,ann\n",
    }
    codes, errors = [], []
    for name, text in files.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        codes.append(exit_code(["human", "add", run.name, str(path), "--store", str(tmp_path / "store")]))
        errors.append(capsys.readouterr().err)
    assert codes == [0, 2, 2]
    assert "ann on" in errors[1]
    assert "says 2.0, said 4.0 before" in errors[1]
    assert "best.csv" in errors[2]
    assert "best-of-k" in errors[2]
    assert len(answer_files(run.backend, run.plan.run)) == 1
