"""The Turing test, judge by judge: fool rates, the equivalence test, and whether the judge can tell anything at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.agreement.equivalence import Fooling, TuringTest, turing_test
from engine.ratings.battles import FIRST, SECOND, Battles
from engine.report.data import method_rank
from engine.report.judging.data import STRANGER_POST
from engine.report.judging.pools import codes, labels
from engine.report.judging.rows import Fooled, Pool, Tested, estimate_from
from engine.report.rows import rounded

OWN = "the person's own post"


def tested(turing: pa.Table, pool: Pool, clusters: tuple[str, ...], judges: Sequence[str]) -> Iterator[Tested]:
    """The tests of a pool's methods before each judge that was asked; a judge's sensitivity is the same in all its pools."""
    mine = turing.filter(_in_pool(turing, pool))
    methods = sorted(set(labels(mine["method"])) - {STRANGER_POST}, key=method_rank)
    for judge in judges:
        rows = mine.filter(pc.equal(mine["judge"], judge))
        if set(labels(rows["method"])) - {STRANGER_POST}:
            found = turing_test(_battles(rows, methods, clusters, judge), 0, own=OWN, stranger=STRANGER_POST)
            yield _told(found, rows)


def _in_pool(turing: pa.Table, pool: Pool) -> pa.ChunkedArray:
    of_pool = pc.equal(turing["looks"], pool.looks)
    for name in ("writer", "backbone", "budget"):
        of_pool = pc.and_(of_pool, pc.fill_null(pc.equal(turing[name], getattr(pool, name)), False))
    return pc.or_(of_pool, pc.and_(pc.equal(turing["looks"], pool.looks), pc.equal(turing["method"], STRANGER_POST)))


def _battles(rows: pa.Table, methods: Sequence[str], clusters: tuple[str, ...], judge: str) -> Battles:
    """The verdicts: FIRST where the post shown first was taken for the person's."""
    entrants = (OWN, STRANGER_POST, *methods)
    answered = rows.filter(pc.and_(pc.equal(rows["outcome"], "answered"), pc.is_valid(rows["fooled"])))
    answered = answered.sort_by([(name, "ascending") for name in ("method", "subject", "own_first")]).combine_chunks()
    other, own = codes(answered["method"], entrants), np.zeros(len(answered), np.int64)
    own_first, fooled = (answered[name].to_numpy(zero_copy_only=False).astype(np.bool_) for name in ("own_first", "fooled"))
    pair = codes(answered["subject"], labels(answered["subject"])) * len(entrants) + other
    return Battles(
        entrants,
        (judge,),
        clusters,
        codes(answered["cluster"], clusters),
        np.zeros(len(answered), np.int64),
        np.where(own_first, own, other),
        np.where(own_first, other, own),
        np.where(own_first ^ fooled, FIRST, SECOND).astype(np.int64),
        pair,
    )


def _told(found: TuringTest, rows: pa.Table) -> Tested:
    words = _words(rows)
    return Tested(
        found.judge,
        found.margin,
        estimate_from(found.sensitivity.share),
        found.sensitivity.discerns,
        *words.get(STRANGER_POST, (None, None)),
        methods=tuple(_fooled(each, words.get(each.method, (None, None))) for each in found.methods),
    )


def _fooled(found: Fooling, words: tuple[float | None, float | None]) -> Fooled:
    narrow = (rounded(found.narrow_low), rounded(found.narrow_high))
    return Fooled(found.method, estimate_from(found.rate), *narrow, found.incomplete, str(found.standing), *words)


def _words(rows: pa.Table) -> dict[str, tuple[float | None, float | None]]:
    """Mean words of the own and the other post by method."""
    means = rows.group_by("method").aggregate([("words_own", "mean"), ("words_other", "mean")])
    return {row["method"]: (row["words_own_mean"], row["words_other_mean"]) for row in means.to_pylist()}
