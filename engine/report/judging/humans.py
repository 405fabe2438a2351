"""What people said, put beside the outputs of a run that they said it of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from engine.human.records import SETTING, Answer, Choice, Rating, Row
from engine.report.judging.data import HUMAN_PAIRS_SCHEMA, HUMAN_RATINGS_SCHEMA, Humans

_Setting = tuple[str, ...]


def humans_of(rows: Sequence[Row], *judged: pa.Table) -> Humans:
    """Ratings and choices of outputs that the rows of `judged` are about, by the person's id and the query's; best-of-k answers have no
    place here.

    A setting that a row leaves out is the run's where only one fits; without a renderer it is about texts if there are any. Rows that fit
    no output, or several settings, are counted.
    """
    settings, subjects = set[_Setting](), dict[tuple[str, str], str]()
    for table in judged:
        for each in table.group_by(["person", "query", "subject", *SETTING]).aggregate([]).to_pylist():
            settings.add(tuple(each[name] or "" for name in SETTING))
            subjects[each["person"], each["query"]] = each["subject"]
    meant = {given: _meant(given, settings) for given in {_given(row) for row in rows}}
    found: dict[type, list[dict[str, Any]]] = {Rating: [], Choice: []}
    unmatched = Counter[str]()
    for row in rows:
        setting, subject = meant[_given(row)], subjects.get((row.profile, row.query))
        if setting is None or subject is None or not isinstance(row, Rating | Choice):
            unmatched[type(row).__name__] += 1
            continue
        told = {"method": row.method, "score": row.score} if isinstance(row, Rating) else _choice(row)
        about = {"subject": subject, "query": row.query, "annotator": row.annotator, **dict(zip(SETTING, setting, strict=True))}
        found[type(row)].append({**about, **told})
    return Humans(
        pa.Table.from_pylist(found[Rating], schema=HUMAN_RATINGS_SCHEMA),
        pa.Table.from_pylist(found[Choice], schema=HUMAN_PAIRS_SCHEMA),
        unmatched.total(),
    )


def _given(row: Answer) -> _Setting:
    return tuple(getattr(row, name) for name in SETTING)


def _choice(row: Choice) -> dict[str, Any]:
    return {"first": row.first, "second": row.second, "preferred": row.choice}


def _meant(given: _Setting, settings: set[_Setting]) -> _Setting | None:
    fitting = [each for each in settings if all(not said or said == is_so for said, is_so in zip(given, each, strict=True))]
    exact = [each for each in fitting if each[-1] == given[-1]]
    chosen = exact or fitting
    return chosen[0] if len(chosen) == 1 else None
