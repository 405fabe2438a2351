"""The score rows as arrays: for each setting, a grid of cases (person x query) by methods.

Everything is put in the order of its keys first, so nothing below depends on the order in which rows arrived.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import InputError
from engine.report.data import METRICS, OUTCOMES, SCORES_SCHEMA, Setting, method_rank
from engine.statistics.crossing import Crossing
from engine.statistics.estimates import Flags, Floats, Integers

POOLED = "all"
KINDS = ("generation", "editing")
_KEY = ("writer", "backbone", "budget", "subject", "task", "query", "method")


@dataclass(frozen=True, slots=True)
class Grid:
    """One setting's cases in rows and its methods in columns.

    Attributes:
        row: (cases, methods) index into the sorted table, -1 where a method has no row for the case.
        values: (cases, methods, metrics) float64, NaN where a unit has no such value.
        outcome: (cases, methods) index into OUTCOMES, -1 where absent.
        cluster: (cases,) index into the clusters of the whole run.
        family: (cases,) index into the query families of the whole run.
        task: (cases,) index into `tasks`.
        extractive: (methods,) whether the setting's writer pasted captions for this method, as the template does.
    """

    setting: Setting
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    tasks: tuple[str, ...]
    row: Integers
    values: Floats
    outcome: Integers
    cluster: Integers
    family: Integers
    task: Integers
    extractive: Flags

    def where(self, chosen: Flags) -> Crossing:
        """The cluster of people and the query family of the chosen cases."""
        return Crossing(self.cluster[chosen], self.family[chosen])

    def groups(self) -> Iterator[tuple[str, Flags]]:
        """Each task, then its kinds (generation, editing) where present, then all pooled, each with the cases that belong to it."""
        for index, task in enumerate(self.tasks):
            if (self.task == index).any():
                yield task, self.task == index
        for kind in KINDS:
            of_kind = np.array([task.endswith(f"-{kind}") for task in self.tasks])
            if of_kind.any() and of_kind[self.task].any():
                yield kind, of_kind[self.task]
        yield POOLED, np.ones(len(self.task), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Cases:
    """Every setting of a run. `table` is sorted by key; `clusters` counts the bootstrap clusters of the whole run, `task_of_family`
    (families,) has the task of each of its query families."""

    table: pa.Table
    grids: tuple[Grid, ...]
    clusters: int
    task_of_family: Integers
    non_finite: int


def cases_of(scores: pa.Table, schema: pa.Schema = SCORES_SCHEMA, metrics: tuple[str, ...] = METRICS) -> Cases:
    """Check and arrange score rows. `schema` holds at least the columns by which rows are told apart, and each of `metrics`.

    Raises:
        InputError: a column is missing or of another type, an outcome is unknown, or one unit has two rows.
    """
    table = _checked(scores, schema)
    codes = {name: _codes(table.column(name)) for name in {*_KEY, "cluster"}}
    family, task_of_family = _families(table, codes["task"][1])
    values, non_finite = _values(table, metrics)
    outcome = _outcomes(table)
    settings = np.stack([codes[name][1] for name in ("writer", "backbone", "budget")], axis=1)
    starts = np.flatnonzero(np.r_[True, (np.diff(settings, axis=0) != 0).any(axis=1)]) if len(table) else np.array([], dtype=np.int64)
    ends = np.r_[starts[1:], len(table)] if len(table) else starts
    extractive = table.column("extractive").to_numpy(zero_copy_only=False)
    parts = zip(starts, ends, strict=True)
    grids = tuple(_grid(codes, family, values, metrics, outcome, extractive, int(start), int(end)) for start, end in parts)
    return Cases(table, grids, len(codes["cluster"][0]), task_of_family, non_finite)


def _checked(scores: pa.Table, schema: pa.Schema) -> pa.Table:
    missing = [name for name in schema.names if name not in scores.schema.names]
    if missing:
        raise InputError(f"the score rows lack {', '.join(missing)}", field=missing[0], remedy="Build them to their schema.")
    table = scores.select(schema.names)
    for column in schema:
        if not column.nullable and table.column(column.name).null_count:
            raise InputError("a score row has no value here", field=column.name, remedy="Every unit carries its keys and an outcome.")
    try:
        table = table.cast(schema)
    except pa.ArrowException as error:
        raise InputError(f"the score rows do not fit their schema: {error}", remedy="Build them to their schema.") from error
    table = table.sort_by([(name, "ascending") for name in _KEY]).combine_chunks()
    _refuse_duplicates(table)
    return table


def _refuse_duplicates(table: pa.Table) -> None:
    if len(table) < 2:
        return
    same = pa.scalar(True)
    for name in _KEY:
        column = table.column(name)
        same = pc.and_(same, pc.equal(column.slice(1), column.slice(0, len(table) - 1)))
    where = pc.index(same, True).as_py()
    if where >= 0:
        twice = {name: table.column(name)[where].as_py() for name in _KEY}
        raise InputError(f"one unit has two score rows: {twice}", field="query", remedy="Read each unit's committed row once.")


def _codes(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Integers]:
    """The distinct labels of a column in order, and each row's index among them."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    labels: list[str] = encoded.dictionary.to_pylist()
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels))
    indices = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return tuple(labels[index] for index in order), rank[indices] if len(labels) else indices


def _families(table: pa.Table, task: Integers) -> tuple[Integers, Integers]:
    """Each row's query family, and each family's task. A query without one is its own; a label that two tasks share is two families."""
    family, query = table.column("family"), table.column("query")
    labels, code = _codes(pa.chunked_array([pc.if_else(pc.equal(family, ""), query, family).combine_chunks()]))
    found, place = np.unique(task * max(1, len(labels)) + code, return_inverse=True)
    return place.astype(np.int64), found // max(1, len(labels))


def _values(table: pa.Table, metrics: tuple[str, ...]) -> tuple[Floats, int]:
    answered = pc.equal(table.column("outcome"), "answered").to_numpy(zero_copy_only=False).astype(np.bool_)
    values = np.stack([table.column(name).to_numpy(zero_copy_only=False) for name in metrics], axis=1).astype(np.float64)
    nulls = np.stack([table.column(name).is_null().to_numpy(zero_copy_only=False) for name in metrics], axis=1).astype(np.bool_)
    values[~answered] = np.nan
    broken = ~np.isfinite(values) & ~nulls & answered[:, None]
    values[~np.isfinite(values)] = np.nan
    return values, int(broken.sum())


def _outcomes(table: pa.Table) -> Integers:
    indices = pc.index_in(table.column("outcome"), value_set=pa.array(OUTCOMES))
    unknown = pc.index(pc.is_null(indices), True).as_py()
    if unknown >= 0:
        label = table.column("outcome")[unknown].as_py()
        raise InputError(f"unknown outcome {label!r}", field="outcome", remedy=f"Use one of {', '.join(OUTCOMES)}.")
    return np.asarray(indices.to_numpy(zero_copy_only=False)).astype(np.int64)


def _grid(
    codes: dict[str, tuple[tuple[str, ...], Integers]],
    family: Integers,
    values: Floats,
    metrics: tuple[str, ...],
    outcome: Integers,
    extractive: Any,
    start: int,
    end: int,
) -> Grid:
    rows = np.arange(start, end)

    def code(name: str) -> Integers:
        return codes[name][1][start:end]

    def label(name: str) -> str:
        labels, indices = codes[name]
        return labels[int(indices[start])]

    # Rows are sorted by subject, task and query within a setting: a case begins where any of them changes.
    case_key = np.stack([code("subject"), code("task"), code("query")], axis=1)
    begins = np.r_[True, (np.diff(case_key, axis=0) != 0).any(axis=1)]
    case = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    method_labels = codes["method"][0]
    here = sorted({int(index) for index in np.unique(code("method"))}, key=lambda index: method_rank(method_labels[index]))
    column_of = np.full(len(method_labels), -1, dtype=np.int64)
    column_of[here] = np.arange(len(here))
    column = column_of[code("method")]
    shape = (len(first), len(here))
    row = np.full(shape, -1, dtype=np.int64)
    row[case, column] = rows
    grid_values = np.full((*shape, values.shape[1]), np.nan)
    grid_values[case, column] = values[start:end]
    grid_outcome = np.full(shape, -1, dtype=np.int64)
    grid_outcome[case, column] = outcome[start:end]
    flags = np.zeros(len(here), dtype=np.bool_)
    np.logical_or.at(flags, column, extractive[start:end].astype(np.bool_))
    return Grid(
        setting=Setting(label("writer"), label("backbone"), label("budget")),
        methods=tuple(method_labels[index] for index in here),
        metrics=metrics,
        tasks=codes["task"][0],
        row=row,
        values=grid_values,
        outcome=grid_outcome,
        cluster=code("cluster")[first],
        family=family[start:end][first],
        task=code("task")[first],
        extractive=flags,
    )
