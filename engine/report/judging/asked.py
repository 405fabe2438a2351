"""How each judge's units ended, question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from engine.report.data import OUTCOMES
from engine.report.judging.rows import Asked

UPSTREAM = "upstream:"
"""Begins the code of a unit of which there was nothing to judge: no fault of the judge's."""

QUESTION_WORDS: Mapping[str, str] = {"rating": "ratings", "pair": "pairs", "turing": "Turing pairs"}

_UNIT: Mapping[str, Sequence[str]] = {
    "rating": ("unit", "method", "writer", "backbone", "budget", "renderer"),
    "pair": ("pair",),
    "turing": ("subject", "method", "writer", "backbone", "budget"),
}
"""What tells a judge's units of a question apart: a pair in both orders is one."""


def asked(tables: Mapping[str, pa.Table], judges: Sequence[str]) -> Iterator[Asked]:
    """One row a judge and question that has any; `tables` by question."""
    for question, table in tables.items():
        units = table.group_by(["judge", *_UNIT[question], "outcome", "code"]).aggregate([])
        for judge in judges:
            mine = units.filter(pc.equal(units["judge"], judge))
            if len(mine):
                rows = table.filter(pc.equal(table["judge"], judge))
                ended = Counter(mine["outcome"].to_pylist())
                failed = mine.filter(pc.equal(mine["outcome"], "failed"))
                every = [code or "none" for code in failed["code"].to_pylist()]
                codes = Counter(code for code in every if not code.startswith(UPSTREAM))
                answered, refused, unparsed, failures = (ended[outcome] for outcome in OUTCOMES)
                yield Asked(
                    judge=judge,
                    question=question,
                    answered=answered,
                    refused=refused,
                    unparsed=unparsed,
                    failed=codes.total(),
                    without=failures - codes.total(),
                    codes=tuple(sorted(codes.items())),
                    models=tuple(sorted(name for name in rows["model"].unique().to_pylist() if name)),
                    input_tokens=_total(rows, "input_tokens"),
                    output_tokens=_total(rows, "output_tokens"),
                )


def _total(rows: pa.Table, name: str) -> int:
    return int(pc.sum(rows[name]).as_py() or 0) if name in rows.column_names else 0
