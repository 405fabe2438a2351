"""What a reader must know before believing a judge; every warning names the judge that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.report.judging.asked import QUESTION_WORDS
from engine.report.judging.data import Humans, JudgeFacts, JudgingFacts
from engine.report.judging.rows import Asked, Habit, Pool, Ratings, Warned
from engine.report.judging.trust import UNCALIBRATED, Trust
from engine.report.wording import count, counted, listed, share, signed
from engine.statistics.estimates import FEW_CLUSTERS, FEWEST_CLUSTERS

REFUSED_WARNS = 0.05
UNPARSED_WARNS = 0.05
TIES_WARN = 0.80
ALIKE_WARNS = 0.95
"""Share of one and the same answer."""
POSITION_WARNS = 1.0
"""Log odds: at equal strength the favoured side is preferred at least 2.7 times as often as the other."""

_SAID = {"first": "the side shown first", "second": "the side shown second", "tie": "a tie"}


def of_run(
    facts: JudgingFacts, pools: Sequence[Pool], people: int, *, partial: bool, complete: bool, several_judges: bool
) -> Iterator[Warned]:
    """What concerns all judges, or what they are."""
    if partial:
        yield Warned("partial", "", "This run is PARTIAL: it holds a part of the people, and the figures may move.")
    if not complete:
        yield Warned("incomplete", "", "This run is incomplete: judges have not been asked everything yet.")
    if people < FEW_CLUSTERS:
        none = f"; under {FEWEST_CLUSTERS} none is given" if people < FEWEST_CLUSTERS else ""
        yield Warned("few-clusters", "", f"Only {counted(people, 'cluster')} of people: under {FEW_CLUSTERS} intervals are rough{none}.")
    for told in dict.fromkeys(judge.stand_in for judge in facts.judges if judge.stand_in):
        names = [judge.name for judge in facts.judges if judge.stand_in == told]
        what = f"{names[0]} is a stand-in" if len(names) == 1 else f"{listed(names)} are stand-ins"
        yield Warned("stand-in", listed(names), f"{what}: {told}. Verdicts of stand-ins prove the machinery only.")
    yield from (Warned("family", judge.name, sentence) for judge in facts.judges for sentence in _kin(facts, judge, pools))
    if len({(pool.looks, pool.writer, pool.backbone, pool.budget, pool.renderer) for pool in pools}) > 1:
        sentence = (
            f"Ratings come in {count(len(pools))} pools, each with a scale of its own: figures of different pools may not be subtracted."
        )
        yield Warned("pools", "", sentence)
    if several_judges and len({judge.looks for judge in facts.judges}) > 1:
        yield Warned("looks", "", "Judges of texts, descriptions and pictures judge different things and are never pooled.")
    if facts.orders == "swapped":
        yield Warned(
            "one-order", "", "Each pair was shown in one order only: whether a judge changes its mind with the order is not known."
        )


def _kin(facts: JudgingFacts, judge: JudgeFacts, pools: Sequence[Pool]) -> Iterator[str]:
    if not judge.family:
        return
    met = {pool.writer for pool in pools if pool.looks == judge.looks}
    writers = [writer for writer, family in facts.writer_families if family == judge.family and writer in met]
    if writers:
        yield f"{judge.name} and the writer {listed(writers)} are of one family, {judge.family}: it may favour what its own family wrote."
    methods = [method for method, family in facts.method_families if family == judge.family]
    if methods:
        yield f"{judge.name} is of the family {judge.family} like {listed(methods)}: it may favour what its own family wrote."


def of_outcomes(rows: Sequence[Asked]) -> Iterator[Warned]:
    """Refusals, replies that cannot be read, failures, and several models behind one name."""
    for judge in dict.fromkeys(row.judge for row in rows):
        mine = [row for row in rows if row.judge == judge]
        if told := [_share_told(row.refused, row) for row in mine if row.refused > REFUSED_WARNS * row.units]:
            yield Warned("refused", judge, f"{judge} declined {listed(told)}: its figures are over the rest, which need not be alike.")
        if told := [_share_told(row.unparsed, row) for row in mine if row.unparsed > UNPARSED_WARNS * row.units]:
            yield Warned("unparsed", judge, f"{judge} gave no verdict that can be read in {listed(told)}.")
        for row in mine:
            if row.failed:
                codes = listed([f"{code} ({count(number)})" for code, number in row.codes])
                failed = f"{count(row.failed)} of {count(row.units)} {QUESTION_WORDS[row.question]}"
                yield Warned("failed", judge, f"{failed} by {judge} failed: {codes}.")
        models = sorted({model for row in mine for model in row.models})
        if len(models) > 1:
            yield Warned("several-models", judge, f"Replies to {judge} name {len(models)} models ({listed(models)}): its figures mix them.")


def _share_told(part: int, row: Asked) -> str:
    return f"{_share_of(part, row.units)} of {count(row.units)} {QUESTION_WORDS[row.question]}"


def of_habits(pool: Pool, habits: Sequence[Habit]) -> Iterator[Warned]:
    """Judges that answer alike whatever is compared."""
    for habit in habits:
        where = f"on {pool.title}"
        if habit.most_share > ALIKE_WARNS:
            how = "always answers" if habit.always else f"answers in {share(habit.most_share)} of its verdicts"
            yield Warned("one-answer", habit.judge, f"{habit.judge} {how} {_SAID[habit.most]} {where}: its verdicts say next to nothing.")
        elif habit.tie.mean is not None and habit.tie.mean > TIES_WARN:
            yield Warned("ties", habit.judge, f"{habit.judge} ties in {share(habit.tie.mean)} of its verdicts {where}.")
        g = habit.position
        if g.mean is not None and abs(g.mean) > POSITION_WARNS and g.low is not None and g.high is not None and g.low * g.high > 0:
            side = "first" if g.mean > 0 else "second"
            told = f"log odds {signed(g.mean, 2)} [{signed(g.low, 2)}, {signed(g.high, 2)}]"
            yield Warned("position", habit.judge, f"{habit.judge} favours what is shown {side} {where}: {told} at equal strength.")


def of_ratings(pool: Pool, ratings: Ratings) -> Iterator[Warned]:
    """Judges that give one rating to everything."""
    for judge in dict.fromkeys(row.judge for row in ratings.spreads):
        columns = zip(*(row.counts for row in ratings.spreads if row.judge == judge), strict=True)
        levels = [sum(column) for column in columns]
        if max(levels) > ALIKE_WARNS * sum(levels):
            told = f"{judge} rates {_share_of(max(levels), sum(levels))} of {pool.title} with {levels.index(max(levels))}"
            yield Warned("one-rating", judge, f"{told}: its ratings tell nothing apart.")


def of_humans(humans: Humans | None) -> Iterator[Warned]:
    """Human rows that are about nothing here."""
    if humans is not None and humans.unmatched:
        told = f"{counted(humans.unmatched, 'row')} of human answers fit no output of this run, or several, and are left out"
        yield Warned("unmatched", "", f"{told}: check person, query, writer and budget.")


def of_trust(trusts: Sequence[tuple[Pool, Trust]]) -> Iterator[Warned]:
    """Judges that are not calibrated: once where nobody rated, else in each pool."""
    unrated: dict[str, None] = {}
    for pool, trust in trusts:
        for row in trust.calibrations:
            if row.reason == UNCALIBRATED:
                unrated[row.judge] = None
            elif not row.calibrated:
                yield Warned("uncalibrated", row.judge, f"{row.judge} is uncalibrated on {pool.title}: {row.reason}.")
    if unrated:
        judges = listed(list(unrated))
        yield Warned("uncalibrated", judges, f"Uncalibrated, since no human ratings are at hand: {judges}.")


def _share_of(part: int, whole: int) -> str:
    return share(part / whole if whole else None)
