"""The result tables as CSV files: long, sorted, with a `partial` column, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from engine.report import rows
from engine.report.control_check import Check
from engine.report.galleries import GallerySize
from engine.report.personal import Gain, PersonalShare, StrangerAgreement
from engine.report.scale import ScaleCell
from engine.report.slices import Slice
from engine.report.summary import Summary
from engine.report.writer_orders import WriterAgreement
from engine.report.writing import Writing
from engine.spreadsheets import safe_cell


def csv_files(summary: Summary) -> Iterator[tuple[str, bytes]]:
    """(name under the report's folder, bytes) of every result table, one file a kind of row."""
    named: dict[str, tuple[type[Any], Sequence[Any]]] = {
        "results": (rows.Result, summary.results),
        "differences": (rows.Difference, summary.differences),
        "gains": (Gain, summary.gains),
        "personal_share": (PersonalShare, summary.personal_shares),
        "stranger_agreement": (StrangerAgreement, summary.stranger_agreement),
        "galleries": (GallerySize, summary.galleries),
        "checks": (Check, summary.checks),
        "slices": (Slice, summary.slices),
        "win_share": (rows.WinShare, summary.win_share),
        "cohens_d": (rows.Effect, summary.cohens_d),
        "order_agreement": (rows.OrderAgreement, summary.order_agreement),
        "length_matched": (rows.LengthMatched, summary.length_matched),
        "bounds": (rows.Bound, summary.bounds),
        "ceilings": (rows.Ceiling, summary.ceilings),
        "words": (rows.Words, summary.words),
        "retrieval": (rows.Retrieval, summary.retrieval),
        "copying": (rows.Copying, summary.copying),
        "outcomes": (rows.Coverage, summary.outcomes),
        "writing": (Writing, summary.writing),
        "scale": (ScaleCell, summary.scale),
        "writer_agreement": (WriterAgreement, summary.writer_agreement),
        "failures": (rows.FailureGroup, summary.failures),
    }
    for name, (kind, found) in named.items():
        yield f"tables/{name}.csv", _csv(kind, found, summary.partial)


def _csv(kind: type[Any], found: Sequence[Any], partial: bool) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(kind)]
    writer.writerow([*names, "partial"])
    writer.writerows([[*(_cell(getattr(row, name)) for name in names), str(partial).lower()] for row in found])
    return text.getvalue().encode()


def _cell(value: str | float | int | tuple[str, ...] | None) -> str | float | int:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return _cell(" ".join(value))
    return safe_cell(value) if isinstance(value, str) else value
