"""The judges' tables: who judged and how it ended, ratings, leaderboards, who beats whom, the Turing test."""

from __future__ import annotations

from collections.abc import Iterator

from engine.judging.rubric import HIGHEST, LOWEST
from engine.report.cases import POOLED
from engine.report.judging.asked import QUESTION_WORDS
from engine.report.judging.rated import HUMAN, METRIC
from engine.report.judging.rows import Board, Compared, Estimate, Pool, Tested, shares
from engine.report.judging.summarising import Judged, JudgingSummary
from engine.report.rows import Difference, Result
from engine.report.tables import Table
from engine.report.wording import NOTHING, count, counted, figure, interval, listed, share, signed_interval, task_label


def who(summary: JudgingSummary) -> Table:
    """The judges: what they are, what they look at, and what they are shown of a person."""
    body = [
        (
            judge.name,
            judge.id,
            judge.family or NOTHING,
            judge.looks + (f"\nput into words by {summary.facts.describer}" if judge.looks == "descriptions" else ""),
            judge.sees,
            ", ".join(rubric for _, rubric in judge.rubrics),
            judge.stand_in or "no",
        )
        for judge in summary.facts.judges
    ]
    return Table("Who judged", ("judge", "id", "family", "looks at", "sees of a person", "rubrics", "stand-in"), tuple(body))


def asked(summary: JudgingSummary) -> Table:
    """How each judge's units ended, and what a rating took."""
    body = [
        (
            row.judge,
            QUESTION_WORDS[row.question],
            count(row.units + row.without),
            share(row.answered / (row.units + row.without) if row.units + row.without else None),
            *(count(each) for each in (row.answered, row.refused, row.unparsed)),
            count(row.failed) + "".join(f"\n{code} {count(number)}" for code, number in row.codes),
            count(row.without),
            f"{count(row.input_tokens)} in\n{count(row.output_tokens)} out" if row.input_tokens else NOTHING,
        )
        for row in summary.asked
    ]
    heads = ("judge", "question", "units", "coverage", "answered", "refused", "unparsed", "failed", "nothing to judge", "tokens")
    note = "A pair in both orders is one unit, answered if both orders are. Units without an answer are in no mean, and never count as 0."
    return Table("How it ended", heads, tuple(body), note)


def column_label(name: str, metric: str) -> str:
    """What a column of a pool's grid is called: a judge, the run's own score, or people."""
    return {METRIC: metric, HUMAN: "humans"}.get(name, name)


def ratings(judged: Judged, metric: str, task: str = POOLED) -> Table:
    """Mean ratings of one task, a column a judge, the run's own score and people beside them."""
    assert judged.ratings is not None
    rows = [row for row in judged.ratings.results if row.task == task]
    columns = list(dict.fromkeys(row.metric for row in rows))
    found = {(row.method, row.metric): row for row in rows}
    body = []
    for method in judged.methods:
        here = [found.get((method, column)) for column in columns]
        if any(here):
            body.append((method, *(_rated(row) for row in here)))
    heads = ("method", *(column_label(column, metric) for column in columns))
    note = "Over cases in which every method has a rating by that judge; below each mean its interval, n, and what is missing."
    return Table(f"Ratings, {task_label(task).lower()}", heads, tuple(body), note)


def _rated(row: Result | None) -> str:
    if row is None or row.mean is None:
        return NOTHING
    lacking = f", {count(row.missing)} missing" if row.missing else ""
    digits = 3 if row.metric == METRIC else 2
    return f"{figure(row.mean, digits)}\n{interval(row.low, row.high, digits)}\nn {count(row.n)}{lacking}"


def rating_tasks(judged: Judged) -> list[str]:
    """Tasks and groups of tasks other than all of them."""
    assert judged.ratings is not None
    tasks = list(dict.fromkeys(row.task for row in judged.ratings.results if row.task != POOLED))
    return tasks if len(tasks) > 2 else []


def differences(judged: Judged) -> Table:
    """Differences of mean ratings over all tasks by judge, with intervals that hold for all pairs of a judge at once."""
    assert judged.ratings is not None
    rows = [row for row in judged.ratings.differences if row.task == POOLED]
    body = [(f"{row.method} \u2212 {row.other}", row.metric, _difference(row), figure(row.holm), count(row.n)) for row in rows]
    heads = ("methods", "judge", "difference and 95 % (simultaneous)", "Holm p", "n")
    return Table("Differences of ratings", heads, tuple(body))


def _difference(row: Difference) -> str:
    return signed_interval(row.mean, row.family_low, row.family_high, 2)


def spreads(judged: Judged) -> Table:
    """How often each rating was given."""
    assert judged.ratings is not None
    body = [(row.judge, row.method, *(count(each) for each in row.counts)) for row in judged.ratings.spreads]
    return Table("How often each rating was given", ("judge", "method", *map(str, range(LOWEST, HIGHEST + 1))), tuple(body))


def board(found: Board) -> Table:
    """A leaderboard: ratings, ranks with their range, and what leaving a judge out changes."""
    body = []
    several = any(entry.without_low is not None for entry in found.entries)
    for entry in found.entries:
        rating = f"{figure(entry.rating.mean, 0)}\n{interval(entry.rating.low, entry.rating.high, 0)}"
        without = (f"{figure(entry.without_low, 0)} to {figure(entry.without_high, 0)}",) if several else ()
        ranks = f"{figure(entry.rank, 0)}\n{_range(entry.rank_low, entry.rank_high)}"
        body.append((entry.method, rating, ranks, *without, count(entry.rating.n), count(entry.rating.clusters)))
    heads = ("method", "rating", "rank", *(("without one judge",) if several else ()), "verdicts", "clusters")
    return Table(f"Leaderboard: {found.judge or 'all judges'}", heads, tuple(body))


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no range"
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def leads(found: Compared) -> Table:
    """Differences of ratings between every two methods, by board."""
    body = [
        (
            f"{lead.method} \u2212 {lead.other}",
            each.judge or "all judges",
            signed_interval(lead.mean, lead.low, lead.high, 0),
            figure(lead.holm),
        )
        for each in found.shown
        for lead in each.leads
    ]
    return Table("Differences in points", ("methods", "judge", "difference and 95 % (simultaneous)", "Holm p"), tuple(body))


def matrix(found: Board, methods: tuple[str, ...]) -> Table:
    """Who beats whom: the share won by the row's method against the column's, a tie half, with wins, ties and losses."""
    cells = {(row.method, row.other): row for row in found.meetings}
    there = [method for method in methods if any(method in key for key in cells)]
    body = []
    for one in there:
        line = [one]
        for two in there:
            row = cells.get((one, two))
            if row is None:
                line.append("" if one == two else NOTHING)
            else:
                lost = row.battles - row.wins - row.ties
                line.append(f"{share(row.rate)}\n{shares(row.low, row.high)}\n{count(row.wins)}·{count(row.ties)}·{count(lost)}")
        body.append(tuple(line))
    note = "The share won by the method of the row, a tie half, with its 95 % interval in percent; below it wins, ties, losses."
    return Table(f"Who beats whom: {found.judge or 'all judges'}", ("method", *there), tuple(body), note)


def beside(found: Compared) -> Table:
    """What other fits make of the same verdicts."""
    body = []
    for row in found.beside:
        plain = f"{figure(row.plain.mean, 0)}\n{interval(row.plain.low, row.plain.high, 0)}"
        half = NOTHING if row.pipbench_half is None else f"± {figure(row.pipbench_half, 0)}"
        elo = f"{figure(row.elo, 0)}\nsd {figure(row.elo_sd, 0)} over orders"
        body.append((row.method, plain, f"{figure(row.pipbench, 0)}\n{half}", elo))
    note = (
        f"Plain Bradley-Terry: {found.plain_id}. PIPBench's released fit: {found.pipbench_id}; its interval takes verdicts on one person "
        f"for independent ones and is too narrow. Online Elo: {found.elo_id}; {count(found.elo_orders)} random orders of the same verdicts "
        f"gave {count(found.elo_rankings)} different rankings. No claim rests on these."
    )
    return Table("Other fits", ("method", "plain Bradley-Terry", "PIPBench", "online Elo"), tuple(body), note)


def watched(found: Compared) -> Table:
    """Who is ahead if one looks while verdicts come in."""
    body = [
        (f"{row.method} over {row.other}", f"{figure(row.mean, 2)}\n{interval(row.low, row.high, 2)}", count(row.people), row.standing)
        for row in found.watched
    ]
    open_ = sum(row.standing == "open" for row in found.watched)
    stop = (
        f"{counted(open_, 'pair')} still open: more people could settle them"
        if open_
        else "All are settled: more people would change no answer"
    )
    note = (
        "Mean preference over people, from 1 to -1, by all judges; each counts once. Intervals (confidence sequences) hold at every "
        "look and for all pairs at once, so a study may be looked at as it grows and stopped when it is settled; they are wider than those "
        f"of one look. Equal: surely within {figure(found.equal_within, 2)} of none. {stop}."
    )
    return Table("If one looks at any time", ("pair", "mean preference", "people", "standing"), tuple(body), note)


def habits(found: Compared) -> Table:
    """What judges do whatever is compared."""
    body = [
        (
            row.judge,
            count(row.tie.n),
            *(share_told(each) for each in (row.tie, row.first)),
            _signed(row.position),
            *(share_told(each) for each in (row.flip, row.consistency)),
            _signed(row.length),
        )
        for row in found.habits
    ]
    heads = ("judge", "verdicts", "ties", "first shown preferred", "position, log odds", "flips", "consistent", "twice the words, log odds")
    note = (
        "First shown preferred: raw share, a tie half. Position: what of it strengths do not explain. Flips: pairs whose two orders "
        "preferred opposite methods; consistent: pairs with the same verdict in both. Twice the words: what twice the words add to being "
        "preferred, at equal methods and position. Intervals are over people."
        + "".join(f" No figure for twice the words by {row.judge}: {row.length_note}." for row in found.habits if row.length_note)
    )
    return Table("What judges do whatever is compared", heads, tuple(body), note)


def share_told(found: Estimate) -> str:
    """A share with its interval, in percent."""
    return NOTHING if found.mean is None else f"{share(found.mean)}\n{shares(found.low, found.high)}"


def _signed(found: Estimate) -> str:
    if found.mean is None:
        return NOTHING
    mean, low, high = (None if value is None else round(value, 6) + 0.0 for value in (found.mean, found.low, found.high))
    return signed_interval(mean, low, high, 2).replace(" ", "\n", 1)


_BLIND = "the judge hardly tells even a stranger's post, so no fool rate can be interpreted"


def turing(test: Tested) -> Table:
    """One judge's fool rates, with the equivalence test and the words of both sides."""
    body = [
        (
            row.method,
            f"{share_told(row.rate)}\n90 %: {shares(row.narrow_low, row.narrow_high)}",
            row.standing,
            count(row.rate.n),
            count(row.rate.clusters),
            count(row.incomplete),
            f"{figure(row.words_own, 1)} / {figure(row.words_other, 1)}",
        )
        for row in test.methods
    ]
    heads = ("method", "fool rate", "standing", "pairs", "clusters", "incomplete", "words own / method")
    least = f"{share(0.5 + test.margin)}, one half and the margin"
    note = (
        f"Sensitivity, the person's post told from a stranger's: {share_told(test.sensitivity).replace(chr(10), ' ')} of "
        f"{count(test.sensitivity.n)} pairs, words {figure(test.words_own, 1)} / {figure(test.words_other, 1)}; "
        + (f"it lies above {least}." if test.discerns else f"it does not surely lie above {least}: {_BLIND}.")
    )
    return Table(f"Turing test: {test.judge}", heads, tuple(body), note)


def kin_ratings(summary: JudgingSummary) -> Table:
    """Same-family effects on ratings."""
    body = [
        (
            _place(row.looks, row.budget, row.renderer),
            listed(list(row.judges)),
            listed(list(row.writers)),
            _signed(row.effect),
            count(row.effect.n),
        )
        for row in summary.kin_ratings
    ]
    note = (
        "How much higher judges rate what their own family wrote, with each judge's level and each writer's taken out, output by output, "
        "without methods whose texts no writer here wrote. An effect, not its reason: a family may also share what it is good at."
    )
    return Table("Same family, ratings", ("judged", "judges", "writers", "effect on 0-5", "outputs"), tuple(body), note)


def _place(looks: str, budget: str, renderer: str) -> str:
    return Pool(looks, "all writers", "", budget, renderer).title


def cautions(found: Compared) -> Iterator[str]:
    """What must be known of the boards, once each, naming the board."""
    for each in found.shown:
        for caution in each.cautions:
            yield f"{each.judge or 'All judges'}: {caution}."
