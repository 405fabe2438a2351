"""From verdicts to the judges' figures: a pure function of facts and rows, whatever order they come in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from engine.keys import seed_of
from engine.report.cases import Grid
from engine.report.data import Setting, method_rank
from engine.report.judging import cautions, verdict
from engine.report.judging.asked import asked
from engine.report.judging.boards import compared
from engine.report.judging.data import STRANGER_POST, Humans, JudgingFacts
from engine.report.judging.kinship import KinRatings, kin_in_ratings
from engine.report.judging.pools import labels, of_pool, pools_of, verdicts_of, with_looks
from engine.report.judging.rated import Graded, graded, ratings_of
from engine.report.judging.rows import Asked, Compared, Pool, Ratings, Said, Tested, Warned
from engine.report.judging.tested import tested
from engine.report.judging.trust import Trust, trust_of
from engine.report.wording import counted
from engine.statistics.cluster_bootstrap import ClusterBootstrap


@dataclass(frozen=True, slots=True)
class Judged:
    """All about one pool. None where nothing of the kind was asked."""

    pool: Pool
    methods: tuple[str, ...]
    ratings: Ratings | None
    compared: Compared | None
    trust: Trust
    tests: tuple[Tested, ...]


@dataclass(frozen=True, slots=True)
class JudgingSummary:
    """The judges of a run. `metrics` names the run's own score of each budget; `verdict` is about the pools of the report's setting."""

    facts: JudgingFacts
    run: str
    name: str
    partial: bool
    complete: bool
    people: int
    metrics: tuple[tuple[str, str], ...]
    asked: tuple[Asked, ...]
    pools: tuple[Judged, ...]
    kin_ratings: tuple[KinRatings, ...]
    warnings: tuple[Warned, ...]
    verdict: tuple[Said, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """For the report's main page: what pairs say, or else ratings, the Turing test, and how much there is to know first."""
        warned = counted(len(self.warnings), "warning")
        before = f"Read {warned} on the judges' page before you trust them." if self.warnings else ""
        left_out = "rating" if any(said.question == "pair" for said in self.verdict) else ""
        told = tuple(said.sentence for said in self.verdict if said.question != left_out)
        return (*told, before) if before and told else told

    @property
    def headline(self) -> tuple[str, ...]:
        """A line for the terminal."""
        if not self.verdict:
            return ()
        rest = f"{counted(len(self.verdict) - 1, 'more sentence')}, {counted(len(self.warnings), 'warning')} on judging.html"
        line = f"Judges: {self.verdict[0].sentence} {rest}"
        # A name may hold anything, and a terminal obeys control characters.
        return ("".join(letter if letter.isprintable() else " " for letter in line),)

    def to_json(self) -> bytes:
        """The bytes of `judging.json`: sorted keys, no NaN, one trailing newline."""
        return (json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Rows:
    """What a summary is made of: `RATINGS_SCHEMA`, `PAIRS_SCHEMA`, `TURING_SCHEMA`; `METRIC_SCHEMA` where the run scored prompts, with
    what its score is called by budget, and what people said, where any were asked."""

    ratings: pa.Table
    pairs: pa.Table
    turing: pa.Table
    metric: pa.Table | None = None
    metrics: tuple[tuple[str, str], ...] = ()
    humans: Humans | None = None


def summarise_judging(
    facts: JudgingFacts, rows: Rows, *, run: str, name: str, partial: bool, complete: bool, writer: str, budget: str
) -> JudgingSummary:
    """The summary of a run's judging; `writer` and `budget` name the setting that the report's verdict is about.

    Raises InputError where rows do not fit their schemas, or one unit has two rows.
    """
    ratings, pairs, turing = (with_looks(facts, table) for table in (rows.ratings, rows.pairs, rows.turing))
    clusters = labels(ratings["cluster"], pairs["cluster"], turing["cluster"])
    seed = seed_of(run, "report", "judging")
    bootstrap = ClusterBootstrap(len(clusters), seed)
    order = [judge.name for judge in facts.judges]
    pools = _pools(ratings, pairs, turing)
    grids = dict(_grids(facts, rows, ratings, seed))
    judged = []
    for pool in pools:
        found, grid = grids.get((pool.looks, pool.renderer)), None
        if found is not None:
            grid = next((each for each in found.cases.grids if each.setting == Setting(pool.writer, pool.backbone, pool.budget)), None)
        judged.append(_judged(facts, rows, pool, found, grid, of_pool(pairs, pool), turing, clusters, bootstrap, order, seed))
    tables = {"rating": ratings, "pair": pairs, "turing": turing}
    ended = tuple(asked(tables, order))
    several = len(order) > 1
    warnings = [
        *cautions.of_run(facts, pools, len(clusters), partial=partial, complete=complete, several_judges=several),
        *cautions.of_outcomes(ended),
        *(warned for each in judged for warned in _of_pool_warnings(each)),
        *cautions.of_humans(rows.humans),
        *cautions.of_trust([(each.pool, each.trust) for each in judged]),
    ]
    chosen = [each for each in judged if (each.pool.writer, each.pool.budget) == (writer, budget)]
    kin = tuple(row for (looks, renderer), found in grids.items() for row in kin_in_ratings(facts, looks, renderer, found))
    return JudgingSummary(
        facts, run, name, partial, complete, len(clusters), rows.metrics, ended, tuple(judged), kin,
        tuple(warnings), tuple(said for each in chosen or judged for said in _verdict(each, order)),
    )  # fmt: skip


def _judged(
    facts: JudgingFacts,
    rows: Rows,
    pool: Pool,
    found: Graded | None,
    grid: Grid | None,
    pairs: pa.Table,
    turing: pa.Table,
    clusters: tuple[str, ...],
    bootstrap: ClusterBootstrap,
    order: Sequence[str],
    seed: int,
) -> Judged:
    verdicts = verdicts_of(pairs, clusters, order, facts.orders) if len(pairs) else None
    here = [judge.name for judge in facts.judges if judge.looks == pool.looks]
    tests = tuple(tested(turing, pool, clusters, here)) if not pool.renderer else ()
    methods = dict.fromkeys([*(grid.methods if grid else ()), *(verdicts.battles.entrants if verdicts else ())])
    methods |= dict.fromkeys(row.method for test in tests for row in test.methods)
    writer = dict(facts.writer_families).get(pool.writer, "")
    entrants = {method: dict(facts.method_families).get(method, writer) for method in methods}
    judges = {judge.name: judge.family for judge in facts.judges}
    return Judged(
        pool,
        tuple(sorted(methods, key=method_rank)),
        ratings_of(found, grid) if found and grid else None,
        compared(verdicts, bootstrap, seed, judges, entrants) if verdicts and len(verdicts.battles) else None,
        trust_of(pool, here, found, grid, verdicts, bootstrap, pairs, rows.humans, seed),
        tests,
    )


def _pools(ratings: pa.Table, pairs: pa.Table, turing: pa.Table) -> list[Pool]:
    methods = turing.filter(pc.not_equal(turing["method"], STRANGER_POST))
    return pools_of(ratings, pairs, methods.append_column("renderer", pa.repeat(pa.scalar(""), len(methods))))


def _grids(facts: JudgingFacts, rows: Rows, ratings: pa.Table, seed: int) -> Iterator[tuple[tuple[str, str], Graded]]:
    for key in sorted({(pool.looks, pool.renderer) for pool in pools_of(ratings)}):
        looks, renderer = key
        mine = ratings.filter(pc.and_(pc.equal(ratings["looks"], looks), pc.equal(ratings["renderer"], renderer)))
        names = set(labels(mine["judge"]))
        judges = [judge.name for judge in facts.judges if judge.name in names]
        yield key, graded(mine, judges, rows.metric, _of_renderer(rows.humans, renderer), seed)


def _of_renderer(humans: Humans | None, renderer: str) -> Humans | None:
    if humans is None:
        return None
    return Humans(humans.ratings.filter(pc.equal(pc.fill_null(humans.ratings["renderer"], ""), renderer)), humans.pairs, humans.unmatched)


def _of_pool_warnings(judged: Judged) -> Iterator[Warned]:
    if judged.compared is not None:
        yield from cautions.of_habits(judged.pool, judged.compared.habits)
    if judged.ratings is not None:
        yield from cautions.of_ratings(judged.pool, judged.ratings)


def _verdict(judged: Judged, judges: Sequence[str]) -> Iterator[Said]:
    if judged.compared is not None:
        yield from verdict.of_pairs(judged.pool, judged.compared)
    if judged.ratings is not None:
        yield from verdict.of_ratings(judged.pool, judged.ratings, judges)
    yield from verdict.of_turing(judged.pool, judged.tests)
