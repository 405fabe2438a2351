"""`mien pairs rate`: ratings from the release's files of pairs and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.pipbench.pair_files import PairsRead, read_pairs, read_people
from engine.pipbench.results import elo_scores, win_rates, write_elo_scores, write_win_rates
from engine.pipbench.verdicts import Judged, Verdict, judged, read_verdicts
from engine.ratings.battles import Battles
from engine.ratings.cautions import Caution
from engine.ratings.leaderboard import Leaderboard, leaderboard
from engine.ratings.pipbench import METHOD as PIPBENCH
from engine.ratings.pipbench import with_doubtful_ties
from engine.ratings.table import RatingTable
from engine.rejects import Reject
from engine.report.rows import rounded
from engine.report.wording import counted, figure, interval, share
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Estimates
from jobs.commands.human import refuse_bad
from jobs.commands.people import refuse_existing
from jobs.console import Console

ELO_SCORES, WIN_RATES = "elo_scores.json", "win_rates.json"


@dataclass(frozen=True, slots=True)
class _Rated:
    """What was read, and the ratings; `tied` are the verdicts as PIPBench counts them, `read` how many rows were looked at."""

    pairs: PairsRead
    found: Judged
    tied: Battles
    board: Leaderboard
    read: int
    rejected: Sequence[Reject]

    @property
    def people(self) -> int:
        """Clusters with a verdict."""
        return len(np.unique(self.found.battles.cluster))


def rate_command(
    pairs: Path,
    verdicts: Sequence[Path],
    *,
    metadata: Path | None,
    out: Path | None,
    judge: str,
    seed: int,
    max_failed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Tell the leaderboard, and with `out` write the release's result files there; nothing is rated if too many rows are bad."""
    files = [out / ELO_SCORES, out / WIN_RATES] if out else []
    for file in files:
        refuse_existing(file, force)
    console = Console(as_json=as_json)
    rated = _rated(console, pairs, verdicts, judge, metadata, seed, max_failed)
    _tell_coverage(console, rated)
    _tell_judges(console, rated)
    board = rated.board
    if len(board.judges) == 1:
        _tell_board(console, board.judges[0], board.overall, board, board.cautions)
    else:
        for name, table in zip(board.judges, board.by_judge, strict=True):
            _tell_board(console, name, table, board, table.cautions)
        _tell_board(console, "", board.overall, board, board.cautions)
    console.say(f"Rating: {board.overall.method}; 95 % intervals over people, ranks such that all hold at once.")
    console.say(f"PIPBench: {PIPBENCH}; over all judges, as if verdicts were independent: for comparison with its files alone.")
    if out:
        out.mkdir(parents=True, exist_ok=True)
        write_elo_scores(files[0], elo_scores(board.entrants, board.pipbench))
        write_win_rates(files[1], win_rates(rated.tied))
        console.say(f"Written: {files[0]}, {files[1]}")
    told = {"verdicts": len(rated.found.battles), "left_out": len(rated.rejected), "people": rated.people, "nobody": rated.found.nobody}
    console.event("done", **told, method=board.overall.method, pipbench=PIPBENCH, files=[str(file) for file in files])


def _rated(
    console: Console, pairs: Path, verdicts: Sequence[Path], judge: str, metadata: Path | None, seed: int, max_failed: int
) -> _Rated:
    asked, rows, rejected = read_pairs(pairs), list[Verdict](), list[Reject]()
    rejected += asked.rejected
    read = 0
    for file in verdicts:
        given = read_verdicts(file, judge)
        rows += given.verdicts
        rejected += given.rejected
        read += len(given.verdicts) + len(given.rejected)
    found = judged(asked.pairs, rows, read_people(metadata) if metadata else None)
    rejected += found.rejected
    refuse_bad(rejected, max_failed)
    battles = found.battles
    if not len(battles):
        raise InputError("holds no verdict on these pairs.", file=str(verdicts[0]), remedy="Give the file of pairs that was judged.")
    tied = replace(battles, result=with_doubtful_ties(battles.result, found.confidence))
    with console.patience(f"rating {counted(len(battles), 'verdict')}..."):
        board = leaderboard(battles, ClusterBootstrap(len(battles.clusters), seed), seed=seed, pipbench=tied)
    return _Rated(asked, found, tied, board, read, rejected)


def _tell_coverage(console: Console, rated: _Rated) -> None:
    asked = f"{counted(len(rated.pairs.pairs), 'pair')}, {counted(rated.people, 'person')}, {counted(len(rated.board.entrants), 'model')}"
    console.say(f"{asked}; {len(rated.found.battles):,} of {counted(rated.read, 'verdict')} used")
    codes = Counter(row.code for row in rated.rejected)
    for code, number in codes.most_common():
        first = next(row for row in rated.rejected if row.code == code)
        console.say(f"  {counted(number, 'row')} left out, {code}: {first.told}{'' if number == 1 else ', and others'}")
    for row in rated.rejected:
        console.event("bad", file=row.file, line=row.line, field=row.field, code=row.code, reason=row.reason, remedy=row.remedy)
    if rated.found.nobody:
        whose = f"Nobody knows whose {counted(rated.found.nobody, 'sample')} of {len(rated.found.samples):,} are"
        console.warn(f"{whose}: each counts as a person of its own, and intervals are too narrow if they share people. Give --metadata.")


def _tell_judges(console: Console, rated: _Rated) -> None:
    battles, rates = rated.found.battles, rated.board.rates
    for judge, name in enumerate(rated.board.judges):
        pair = battles.pair[battles.judge == judge]
        both = int((pair >= 0).sum()) // 2
        met = int((pair < 0).sum()) + both
        shares = {"first": rates.first, "tie": rates.tie, "flip": rates.flip}
        console.say(
            f"{name}: {met:,} of {counted(len(rated.pairs.pairs), 'pair')}, {both:,} in both orders; prefers the side shown first in "
            f"{_share(rates.first, judge)}, ties in {_share(rates.tie, judge)}"
            + (f", contradicts itself between orders in {_share(rates.flip, judge)}" if both else "")
        )
        console.event("judge", judge=name, pairs=met, both=both, **{key: _bounds(each, judge) for key, each in shares.items()})


def _tell_board(console: Console, judge: str, table: RatingTable, board: Leaderboard, cautions: Sequence[Caution]) -> None:
    """One table, the strongest first; PIPBench's figures stand beside the ratings over all judges."""
    of_all = not judge or len(board.judges) == 1
    console.say(f"By {judge or 'all judges together'}")
    beside = f"{'PIPBench':>10}  {'±':<8}" if of_all else ""
    console.say(f"  {'model':<28}{'rating':>8}  {'95 %':<16}{'rank':>5}  {'ranks':<10}{beside}{'verdicts':>9}{'people':>8}")
    rating, ranks = table.rating, table.ranks
    for m in np.argsort(-np.nan_to_num(rating.mean, nan=-np.inf), kind="stable"):
        parity = (rounded(board.pipbench.rating[m]), rounded(board.pipbench.half[m])) if of_all else (None, None)
        mean, low, high = _bounds(rating, m)
        rank, best, worst = (rounded(each[m]) for each in (ranks.rank, ranks.low, ranks.high))
        beside = f"{figure(parity[0], 0):>10}  {figure(parity[1], 0):<8}" if of_all else ""
        places = "–" if best is None or worst is None else f"{best:.0f}–{worst:.0f}"
        console.say(
            f"  {table.entrants[m]:<28}{figure(mean, 0):>8}  {interval(low, high, 0):<16}{figure(rank, 0):>5}  {places:<10}{beside}"
            f"{rating.n[m]:>9,}{rating.clusters[m]:>8,}"
        )
        facts = {"rating": mean, "low": low, "high": high, "rank": rank, "rank_low": best, "rank_high": worst}
        parities = {"pipbench": parity[0], "pipbench_half": parity[1]} if of_all else {}
        behind = {"verdicts": int(rating.n[m]), "people": int(rating.clusters[m])}
        console.event("model", judge=judge, model=table.entrants[m], **facts, **parities, **behind)
    for caution in cautions:
        console.say(f"  Beware: {caution}")
        console.event("caution", judge=judge, kind=caution.kind, names=list(caution.names), told=str(caution))


def _bounds(found: Estimates, at: int) -> tuple[float | None, float | None, float | None]:
    return rounded(found.mean[at]), rounded(found.low[at]), rounded(found.high[at])


def _share(found: Estimates, at: int) -> str:
    mean, low, high = _bounds(found, at)
    return share(mean) + ("" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]")
