"""What people answered about a run's outputs, kept beside the run: each file once, under its own digest."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import CorruptObject
from engine.human.reading import read_human
from engine.human.records import Kind, Row
from engine.human.writing import human_table
from engine.keys import sha256
from engine.store import names
from engine.store.backend import Backend

FOLDER = "human"


def add_answers(backend: Backend, run: str, kind: Kind, rows: Sequence[Row]) -> bool:
    """Keep answers with a run; False if exactly these are there already."""
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


def answers_of(backend: Backend, run: str) -> list[Row]:
    """All answers about a run's outputs; one that stands in several files counts once. Raises CorruptObject."""
    rows: dict[Row, None] = {}
    for name in answer_files(backend, run):
        with tempfile.TemporaryDirectory(prefix="mien-") as folder:
            path = Path(folder) / "answers.parquet"
            path.write_bytes(backend.read(name))
            found = read_human(path)
        if found.rejected:
            raise CorruptObject(f"{name} holds {len(found.rejected)} rows that are no answers.", remedy="Delete it and add the file again.")
        rows |= dict.fromkeys(found.rows)
    return list(rows)
