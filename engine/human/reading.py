"""Files of human ratings: CSV with a header, Parquet, or JSON lines. A row that cannot be used is named; only an unreadable file raises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from engine.errors import InputError
from engine.human.records import MODELS, NEEDED, OTHER_SCALE, SCALE, Case, Kind, Row
from engine.profiles.rows import raw_rows
from engine.rejects import Reject, checked
from engine.spreadsheets import plain_cell

DUPLICATE = "duplicate-row"
_LOOKED_AT = 100

Seen: TypeAlias = dict[Case, tuple[str, Row]]
"""Where each question of each annotator was answered first, and how."""


@dataclass(frozen=True, slots=True)
class HumanRead:
    """The usable rows in the file's order, the refused ones, and how many of a sheet were left blank."""

    kind: Kind
    rows: tuple[Row, ...]
    rejected: tuple[Reject, ...]
    blank: int = 0


def read_human(path: Path, kind: Kind | None = None, *, scale: str = SCALE, seen: Seen | None = None) -> HumanRead:
    """The rows of a file.

    Args:
        path: the file.
        kind: what was asked; told from the columns if left out.
        scale: of the ratings, where the file has no column `scale`.
        seen: what other files of the same study hold; this file's answers are added.

    Raises InputError for an unreadable file, one of no kind, or another scale than 0-5.
    """
    if scale != SCALE:
        remedy = "Import only ratings that were asked for from 0 to 5; other scales are not converted."
        raise InputError(f"the scale {scale} is not {SCALE}", file=str(path), remedy=remedy, code=OTHER_SCALE)
    kind = kind or kind_of(path)
    raws = raw_rows(path, required=NEEDED[kind], tables=True, what="answer")
    rows = ((line, checked(_plain(raw, path), MODELS[kind], path, line)) for line, raw in raws)
    return sorted_out(path, kind, rows, seen)


def kind_of(path: Path) -> Kind:
    """What a file's first rows are answers to. Raises InputError if they are of no kind."""
    for _, raw in islice(raw_rows(path, tables=True, what="answer"), _LOOKED_AT):
        for kind, needed in NEEDED.items():
            if isinstance(raw, dict) and set(needed) <= set(raw):
                return kind
    kinds = "; ".join(f"{kind}: {', '.join(needed)}" for kind, needed in NEEDED.items())
    raise InputError("holds no kind of human rating", file=str(path), remedy=f"Give the columns of one kind ({kinds}).", code="no-kind")


def sorted_out(path: Path, kind: Kind, rows: Iterable[tuple[int, Row | Reject]], seen: Seen | None = None) -> HumanRead:
    """Rows by what they are: a second answer of one annotator to one question is refused, and told what the first one said."""
    seen = {} if seen is None else seen
    kept: list[Row] = []
    rejected: list[Reject] = []
    for line, row in rows:
        if isinstance(row, Reject):
            rejected.append(row)
        elif row.asked in seen:
            where, known = seen[row.asked]
            told = f"{row.annotator} has answered this already: {where} says {'the same' if known == row else 'something else'}"
            rejected.append(Reject(str(path), line, "", DUPLICATE, told, "Keep one answer to each question."))
        else:
            seen[row.asked] = f"{path}:{line}", row
            kept.append(row)
    return HumanRead(kind, tuple(kept), tuple(rejected))


def _plain(raw: object, path: Path) -> object:
    if path.suffix.lower() != ".csv" or not isinstance(raw, dict):
        return raw
    return {name: plain_cell(cell) for name, cell in raw.items()}
