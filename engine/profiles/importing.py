"""Imports people from files of profiles or of persona seeds; persona sheets that say the same are one person (VPTT)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.profiles.fields import FieldError
from engine.profiles.persona.building import build_person, persona_id
from engine.profiles.persona.clusters import clusters_of, likeness
from engine.profiles.persona.sheet import PersonaSheet, sheet_of
from engine.profiles.reading import checked
from engine.profiles.rows import Unreadable, raw_rows
from engine.profiles.validation import BadRow, bad_row
from engine.records import Profile


@dataclass(slots=True)
class ImportResult:
    """People on their way in. The counts are final once `profiles` is exhausted; for persona seeds they are from the start.

    rows: rows read (blank lines not counted); distinct: people; merged: rows that say what an earlier one says; bad: the rows refused.
    """

    profiles: Iterator[Profile]
    kind: str
    rows: int = 0
    distinct: int = 0
    merged: int = 0
    bad: list[BadRow] = field(default_factory=list)


def import_people(path: Path, *, seed: int = 0) -> ImportResult:
    """The people in a JSONL or Parquet file of profiles or persona seeds, or in a text file with a seed a line.

    Profiles stream and stay as they are. Persona seeds (a string, a list of sentences, or {"persona": either}) are merged where they say
    the same and built into people one by one. The first readable row decides which of the two a file holds.
    Raises InputError for an unreadable file.
    """
    rows = raw_rows(path, text_lines=True)
    held: list[tuple[int, object]] = []
    for row in rows:
        held.append(row)
        if not isinstance(row[1], Unreadable):
            break
    first = held[-1][1]
    seeds = isinstance(first, (str, list)) or (isinstance(first, dict) and "persona" in first and "captions" not in first)
    everything = _chained(held, rows)
    return _seeds(everything, seed) if seeds else _profiles(everything)


def _chained(held: list[tuple[int, object]], rows: Iterator[tuple[int, object]]) -> Iterator[tuple[int, object]]:
    yield from held
    yield from rows


def _profiles(rows: Iterator[tuple[int, object]]) -> ImportResult:
    result = ImportResult(iter(()), "profiles")

    def people() -> Iterator[Profile]:
        for _, person in checked(rows):
            result.rows += 1
            if isinstance(person, BadRow):
                result.bad.append(person)
            else:
                result.distinct += 1
                yield person

    result.profiles = people()
    return result


def _seeds(rows: Iterator[tuple[int, object]], seed: int) -> ImportResult:
    read = distinct_sheets(rows)
    merged = read.rows - len(read.bad) - len(read.sheets)
    return ImportResult(_built(read.sheets, seed), "seeds", read.rows, len(read.sheets), merged, read.bad)


@dataclass(frozen=True, slots=True)
class SheetsRead:
    """The distinct persona sheets among `rows` rows, in the order of the file, and the rows refused."""

    sheets: list[PersonaSheet]
    rows: int
    bad: list[BadRow]


def distinct_sheets(rows: Iterator[tuple[int, object]]) -> SheetsRead:
    """The sheets in raw rows of persona seeds; rows that say the same are one sheet."""
    bad: list[BadRow] = []
    sheets: dict[frozenset[tuple[str, ...]], PersonaSheet] = {}
    count = 0
    for line, raw in rows:
        count += 1
        if isinstance(raw, Unreadable):
            bad.append(BadRow(line, "", "", raw.reason, raw.remedy))
            continue
        try:
            sheet = sheet_of(raw)
        except FieldError as error:
            bad.append(bad_row(line, raw, error))
            continue
        same = likeness(sheet.marks)
        known = sheets.get(same)
        # The sheet that is kept does not depend on the order of the file.
        if known is None or (sheet.marks, sheet.sentences) < (known.marks, known.sentences):
            sheets[same] = sheet
    return SheetsRead(list(sheets.values()), count, bad)


def _built(sheets: Sequence[PersonaSheet], seed: int) -> Iterator[Profile]:
    clusters = clusters_of({persona_id(sheet): sheet.marks for sheet in sheets})
    for sheet in sheets:
        yield build_person(sheet, seed=seed, cluster=clusters[persona_id(sheet)])
