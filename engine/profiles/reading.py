"""Reads people from JSONL or Parquet one at a time: a bad row is reported in its place, only an unreadable file raises (VPTT, imports)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from engine.profiles.fields import FieldError
from engine.profiles.rows import Unreadable, raw_rows
from engine.profiles.validation import BadRow, bad_row, check_row
from engine.records import Profile


def read_people(path: Path) -> Iterator[tuple[int, Profile | BadRow]]:
    """Each row's line (JSONL, 1-based) or row number (Parquet, 1-based), and the person in it or what is wrong.

    Memory does not grow with the people, but for a hash and a line number an id. Raises InputError where the whole file cannot be read: at
    the call for a missing file, a wrong type, a truncated Parquet file, a missing column or no rows; on the way for text that is not UTF-8.
    """
    return checked(raw_rows(path, required=("id", "captions")))


def checked(rows: Iterator[tuple[int, object]]) -> Iterator[tuple[int, Profile | BadRow]]:
    """The people in raw rows; a second person with an id already seen is bad, and told where the first one stands."""
    first_line: dict[bytes, int] = {}
    for line, raw in rows:
        if isinstance(raw, Unreadable):
            yield line, BadRow(line, "", "", raw.reason, raw.remedy)
            continue
        person = check_row(raw, line)
        if isinstance(person, Profile):
            digest = hashlib.blake2b(person.id.encode("utf-8"), digest_size=8).digest()
            first = first_line.setdefault(digest, line)
            if first != line:
                error = FieldError("id", f"is already taken by the person of line {first}", "Give each person an id of their own.")
                person = bad_row(line, raw, error)
        yield line, person
