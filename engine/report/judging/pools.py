"""Rows of verdicts as arrays, pool by pool. Everything is put in the order of its keys first, whatever order rows came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.ratings.pipbench import with_doubtful_ties
from engine.report.data import method_rank
from engine.report.judging.data import JudgingFacts
from engine.report.judging.rows import Pool
from engine.statistics.estimates import Floats, Integers

_POOL = ("writer", "backbone", "budget", "renderer")


def with_looks(facts: JudgingFacts, rows: pa.Table) -> pa.Table:
    """Rows with what their judge looks at, and "" for no renderer."""
    looks = {judge.name: judge.looks for judge in facts.judges}
    names = rows["judge"].unique().to_pylist()
    at = pc.index_in(rows["judge"], value_set=pa.array(names, pa.string()))
    column = pc.take(pa.array([looks[name] for name in names], pa.string()), at)
    rows = rows.append_column("looks", column)
    if "renderer" in rows.column_names:
        rows = rows.set_column(rows.column_names.index("renderer"), "renderer", pc.fill_null(rows["renderer"], ""))
    return rows


def pools_of(*tables: pa.Table) -> list[Pool]:
    """The pools of tables of `with_looks`, texts first."""
    found: dict[Pool, None] = {}
    for table in tables:
        for row in table.group_by(["looks", *_POOL]).aggregate([]).to_pylist():
            found[Pool(row["looks"], *(row[name] for name in _POOL))] = None
    return sorted(found, key=lambda pool: (pool.looks != "texts", pool.looks, pool.writer, pool.backbone, pool.budget, pool.renderer))


def of_pool(table: pa.Table, pool: Pool) -> pa.Table:
    """The rows of one pool."""
    same = pc.equal(table["looks"], pool.looks)
    for name in _POOL:
        same = pc.and_(same, pc.equal(table[name], getattr(pool, name)))
    return table.filter(same)


def labels(*columns: pa.ChunkedArray) -> tuple[str, ...]:
    """The distinct values of columns, in order."""
    return tuple(sorted({value for column in columns for value in column.unique().to_pylist() if value is not None}))


def codes(column: pa.ChunkedArray, values: Sequence[str]) -> Integers:
    """The place of each value among `values`; -1 for one that is not there."""
    found = pc.fill_null(pc.index_in(column, value_set=pa.array(values, pa.string())), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A pool's verdicts on pairs: `battles`, and for each of its rows the `sample` that was judged (an index of `units`), the judge's
    `confidence`, NaN where it tells none, and log2 of words shown first over words shown second, NaN for pictures."""

    battles: Battles
    units: tuple[str, ...]
    sample: Integers
    confidence: Floats
    lengths: Floats

    @property
    def doubtful_tied(self) -> Battles:
        """The verdicts with doubtful ones as ties, as PIPBench counts them."""
        return replace(self.battles, result=with_doubtful_ties(self.battles.result, self.confidence))


def verdicts_of(pairs: pa.Table, clusters: tuple[str, ...], judges: Sequence[str], orders: str) -> Verdicts:
    """The answered rows of one pool's pairs. `clusters`: those of the run; `judges`: in the order in which they are told."""
    methods = tuple(sorted(labels(pairs["first"], pairs["second"]), key=method_rank))
    asked = tuple(name for name in judges if name in set(pairs["judge"].unique().to_pylist()))
    answered = pairs.filter(pc.and_(pc.equal(pairs["outcome"], "answered"), pc.is_valid(pairs["preferred"])))
    answered = answered.sort_by([(name, "ascending") for name in ("judge", "pair", "first")]).combine_chunks()
    units = labels(answered["unit"])
    result = codes(answered["preferred"], ("first", "tie", "second"))
    both = codes(answered["pair"], labels(answered["pair"])) if orders == "both" else np.full(len(answered), -1)
    battles = Battles(
        methods,
        asked,
        clusters,
        codes(answered["cluster"], clusters),
        codes(answered["judge"], asked),
        codes(answered["first"], methods),
        codes(answered["second"], methods),
        np.choose(result, [FIRST, TIE, SECOND]).astype(np.int64),
        both.astype(np.int64),
    )
    words = [_floats(answered[name]) for name in ("words_first", "words_second")]
    known = (words[0] > 0) & (words[1] > 0)
    lengths = np.full(len(answered), np.nan)
    lengths[known] = np.log2(words[0][known] / words[1][known])
    return Verdicts(battles, units, codes(answered["unit"], units), _floats(answered["confidence"]), lengths)


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
