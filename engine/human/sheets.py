"""Blank sheets written as CSV with their key apart, and filled ones read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.errors import InputError
from engine.human.blinding import QUESTION, Key, Sheet, answer_of
from engine.human.reading import HumanRead, Seen, sorted_out
from engine.human.records import MODELS, Kind, Row
from engine.human.writing import write_table
from engine.profiles.rows import Unreadable, raw_rows
from engine.rejects import Reject, checked
from engine.spreadsheets import plain_cell

UNKNOWN_ITEM = "unknown-item"


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Write a blank sheet, safe to open in a spreadsheet."""
    write_table(path, sheet.columns, sheet.rows)


def write_key(path: Path, key: Key) -> None:
    """Write the key as JSON."""
    text = json.dumps({"kind": key.kind, "items": key.items}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def read_key(path: Path) -> Key:
    """The key of a study. Raises InputError if it is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Key(Kind(found["kind"]), {str(name): dict(item) for name, item in found["items"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        remedy = "Give the key that was written beside the blank sheets."
        raise InputError(f"is no key of a study ({type(error).__name__})", file=str(path), remedy=remedy) from error


def read_sheet(path: Path, key: Key, annotator: str = "", *, seen: Seen | None = None) -> HumanRead:
    """The answers of a filled sheet; rows that were left blank are counted.

    `annotator` names whoever filled it where the sheet does not; `seen` is as for `read_human`. Raises InputError for an unreadable file,
    or one without the columns.
    """
    blank = 0

    def rows() -> Iterator[tuple[int, Row | Reject]]:
        nonlocal blank
        question = QUESTION[key.kind]
        for line, raw in raw_rows(path, required=("item", question), tables=True, what="answer"):
            if not isinstance(raw, dict) or isinstance(raw, Unreadable):
                yield line, checked(raw, MODELS[key.kind], path, line)
                continue
            given = {name: plain_cell(str(cell)) for name, cell in raw.items()}
            item = key.items.get(given.get("item", ""))
            if item is None:
                told = f"{given.get('item', '')[:40]!r} is none of the key's"
                yield (
                    line,
                    Reject(str(path), line, "item", UNKNOWN_ITEM, told, "Give the key of this sheet, and leave its items as they are."),
                )
            elif not given.get(question):
                blank += 1
            else:
                answer = answer_of(item, key.kind, given[question], given.get("annotator", "") or annotator)
                yield line, checked(answer, MODELS[key.kind], path, line)

    return replace(sorted_out(path, key.kind, rows(), seen), blank=blank)
