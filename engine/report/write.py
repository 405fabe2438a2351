"""Write the report of a run: one page, one Markdown file, one summary, the result tables, and the run's circumstances."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

import pyarrow as pa

from engine.report.data import Operations, RunFacts
from engine.report.exports import csv_files
from engine.report.markdown import markdown
from engine.report.page import page
from engine.report.summarising import summarise
from engine.report.summary import Summary

FolderWriter = Callable[[str, bytes], None]


def write_report(
    folder_writer: FolderWriter,
    facts: RunFacts,
    scores: pa.Table,
    ceilings: pa.Table,
    operations: Operations,
    judged: Sequence[str] = (),
) -> Summary:
    """Make the report and hand its files to `folder_writer`, one call of (relative name, bytes) each.

    `summary.json`, `report.md` and `tables/*.csv` depend only on the rows and on what was decided before them; `run.json` and
    `index.html` also show the circumstances of the run.

    Args:
        folder_writer: writes one file of the report's folder.
        facts: what was decided before a row was scored.
        scores: rows of `SCORES_SCHEMA`, in any order.
        ceilings: rows of `CEILINGS_SCHEMA`, in any order.
        operations: what the run took.
        judged: sentences about what judges said, where any were asked.

    Raises:
        InputError: the rows do not fit their schemas, or one unit has two rows.
        ConfigError: the run's own metric is neither "v" nor "v_c".
    """
    summary = summarise(facts, scores, ceilings)
    folder_writer("summary.json", summary.to_json())
    folder_writer("report.md", markdown(summary, facts).encode())
    for name, data in csv_files(summary):
        folder_writer(name, data)
    circumstances = {"facts": asdict(facts), "operations": asdict(operations)}
    folder_writer("run.json", (json.dumps(circumstances, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode())
    folder_writer("index.html", page(summary, facts, operations, scores, judged).encode())
    return summary
