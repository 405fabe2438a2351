"""Write the judges' part of a report: its page, and its figures as JSON."""

from __future__ import annotations

from collections.abc import Callable

from engine.report.judging.page import page
from engine.report.judging.summarising import JudgingSummary


def write_judging(folder_writer: Callable[[str, bytes], None], summary: JudgingSummary) -> None:
    """`folder_writer` as in `write_report`."""
    folder_writer("judging.json", summary.to_json())
    folder_writer("judging.html", page(summary).encode())
