"""What people answered about a run's outputs, kept beside the run: each file once, under its own digest."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import CorruptObject, InputError
from engine.human.reading import read_human
from engine.human.records import Case, Choice, Kind, Rating, Row
from engine.human.writing import human_table
from engine.keys import sha256
from engine.store import names
from engine.store.backend import Backend

FOLDER = "human"
CONTRADICTION = "contradiction"


def add_answers(backend: Backend, run: str, kind: Kind, rows: Sequence[Row]) -> bool:
    """Keep answers with a run; False if exactly these are there already.

    Raises InputError for an answer that is not what the same annotator said before: nobody's newer answer can be told from the older.
    """
    known = _by_question(backend, answer_files(backend, run))
    for row in rows:
        name, before = known.get(_key(row), ("", row))
        if _said(before) != _said(row):
            raise InputError(
                f"{_question(row)}: says {_said(row)}, said {_said(before)} before.",
                remedy=f"Leave this answer out; or delete {backend.locate(name)} and add all that was in it anew, corrected.",
                code=CONTRADICTION,
            )
    sink = pa.BufferOutputStream()
    pq.write_table(human_table(kind, rows), sink, compression="zstd")
    data = sink.getvalue().to_pybytes()
    name = names.run(run, FOLDER, f"{names.short(sha256(data))}.parquet")
    if name in answer_files(backend, run):
        return False
    backend.create(name, data)
    return True


def answer_files(backend: Backend, run: str) -> list[str]:
    """Names of the files of answers; they name their content."""
    return sorted(backend.list(names.run(run, FOLDER) + "/"))


def answers_of(backend: Backend, files: Sequence[str]) -> list[Row]:
    """All answers in `files`, one to each question of an annotator. Raises CorruptObject, also where two files contradict."""
    return [row for _, row in _by_question(backend, files).values()]


def _by_question(backend: Backend, files: Sequence[str]) -> dict[Case, tuple[str, Row]]:
    """Each answer, and the file that holds it."""
    rows: dict[Case, tuple[str, Row]] = {}
    for name in files:
        for row in _read(backend, name):
            where, known = rows.setdefault(_key(row), (name, row))
            if _said(known) != _said(row):
                told = f"{_question(row)}: says {_said(known)} in {where}, {_said(row)} in {name}."
                raise CorruptObject(told, remedy="Delete the file that is wrong and add what else was in it again.")
    return rows


def _read(backend: Backend, name: str) -> Sequence[Row]:
    with tempfile.TemporaryDirectory(prefix="mien-") as folder:
        path = Path(folder) / "answers.parquet"
        path.write_bytes(backend.read(name))
        found = read_human(path)
    if found.rejected:
        raise CorruptObject(f"{name} holds {len(found.rejected)} rows that are no answers.", remedy="Delete it and add the file again.")
    return found.rows


def _key(row: Row) -> Case:
    return (type(row).__name__, *row.asked)


def _said(row: Row) -> float | str:
    return row.score if isinstance(row, Rating) else row.choice


def _question(row: Row) -> str:
    """Who was asked about what, in words; what is not said is left out."""
    asked = (row.method,) if isinstance(row, Rating) else (row.first, row.second) if isinstance(row, Choice) else row.options
    return f"{row.annotator} on {', '.join(part for part in row.case if part)}, {' and '.join(asked)}"
