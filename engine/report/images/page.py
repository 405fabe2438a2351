"""`images.html` with its thumbnails beside it, and the same as one self-contained file within a budget of bytes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from engine.report.html import rendered
from engine.report.images import tables
from engine.report.images.summarising import Case, Drawn, ImageSummary
from engine.report.tables import Table

FOLDER = "thumbnails"
BUDGET = 8_000_000
"""Bytes of pictures in the self-contained file."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One renderer's section."""

    renderer: str
    charts: list[tuple[str, Markup]]
    figures: list[Table]
    pairs: Table
    galleries: Table
    outcomes: Table
    cases: tuple[Case, ...]
    total: int
    left_out: int


def file_of(thumbnail: bytes) -> str:
    """Where a thumbnail lies below the report's folder, by its content."""
    return f"{FOLDER}/{hashlib.sha256(thumbnail).hexdigest()[:24]}.jpeg"


def page_with_folder(summary: ImageSummary, thumbnails: Mapping[str, bytes]) -> str:
    """The page whose pictures lie under `FOLDER`; `thumbnails` by their names in the store."""
    files = {name: file_of(data) for name, data in thumbnails.items()}
    return _page(summary, files.get, single=False, fits=lambda case: True)


def single_page(summary: ImageSummary, thumbnails: Mapping[str, bytes], budget: int = BUDGET) -> str:
    """The page with its pictures inside; cases that would exceed the budget are left out, and counted."""
    left = [budget]

    def fits(case: Case) -> bool:
        shown = (case.source, *case.references, *(picture.thumbnail for picture in case.pictures))
        left[0] -= sum(len(thumbnails[name]) for name in shown if name and name in thumbnails)
        return left[0] >= 0

    def source(name: str) -> str | None:
        data = thumbnails.get(name)
        return f"data:image/jpeg;base64,{base64.b64encode(data).decode()}" if data else None

    return _page(summary, source, single=True, fits=fits)


def _page(summary: ImageSummary, source: Callable[[str], str | None], *, single: bool, fits: Callable[[Case], bool]) -> str:
    parts = [_part(summary, drawn, fits) for drawn in summary.drawn]
    return rendered("images.html.j2", summary=summary, parts=parts, source=source, single=single)


def _part(summary: ImageSummary, drawn: Drawn, fits: Callable[[Case], bool]) -> _Part:
    cases = tuple(case for case in drawn.cases if fits(case))
    return _Part(
        drawn.renderer,
        list(tables.charts(summary, drawn)),
        tables.figures(summary, drawn),
        tables.pairs(summary, drawn),
        tables.galleries(drawn),
        tables.outcomes(drawn),
        cases,
        drawn.total_cases,
        len(drawn.cases) - len(cases),
    )
