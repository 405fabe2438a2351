"""What the judges' figures allow to be said. A method is ahead only where the interval that covers all pairs at once says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.agreement.equivalence import Standing
from engine.report.cases import POOLED
from engine.report.judging.rows import Compared, Lead, Pool, Ratings, Said, Tested, shares
from engine.report.wording import counted, listed, share, signed

ALPHA = 0.05

_STANDINGS = {
    str(Standing.PASSES): "passes within .50 ± .05: {methods}",
    str(Standing.TOLD_APART): "told apart from the person's own posts: {methods}",
    str(Standing.PREFERRED): "taken for the person's more often than the person's own: {methods}",
    str(Standing.UNDECIDED): "undecided, neither shown to pass nor to be told apart: {methods}",
}


def of_pairs(pool: Pool, compared: Compared) -> Iterator[Said]:
    """Who is ahead of whom by each judge's pairs, then by all of them."""
    for board in sorted(compared.shown, key=lambda board: not board.judge):
        told = f"By pairs, {board.judge or 'all judges together'} on {pool.title}: {_told(board.leads, 'is ahead of', 0)}."
        yield Said("pair", board.judge, told)


def of_ratings(pool: Pool, ratings: Ratings, judges: Sequence[str]) -> Iterator[Said]:
    """Who is rated above whom by each judge."""
    for judge in judges:
        rows = [row for row in ratings.differences if (row.metric, row.task) == (judge, POOLED)]
        leads = [Lead(row.method, row.other, row.mean, row.family_low, row.family_high, row.holm) for row in rows]
        if leads:
            yield Said("rating", judge, f"By ratings, {judge} on {pool.title}: {_told(leads, 'is above', 2)}.")


def _told(leads: Sequence[Lead], ahead_of: str, digits: int) -> str:
    """The leads that are sure, the method with most of them first, and how many pairs are left."""
    ahead: dict[str, list[str]] = {}
    without = 0
    for lead in leads:
        mean, low, high = lead.mean, lead.low, lead.high
        if mean is None or low is None or high is None or lead.holm is None:
            without += 1
        elif lead.holm <= ALPHA and (low > 0 or high < 0):
            one, two = (lead.method, lead.other) if low > 0 else (lead.other, lead.method)
            least, most = sorted((abs(low), abs(high)))
            told = f"{two} ({signed(abs(mean), digits)} [{signed(least, digits)}, {signed(most, digits)}])"
            ahead.setdefault(one, []).append(told)
    sure = sum(map(len, ahead.values()))
    parts = [f"{method} {ahead_of} {listed(others)}" for method, others in sorted(ahead.items(), key=lambda each: -len(each[1]))]
    left = len(leads) - sure - without
    if left:
        parts.append(f"{counted(left, 'pair')} cannot be told apart" if sure or without else "no pair of methods can be told apart")
    if without:
        parts.append(f"{counted(without, 'pair')} {'has' if without == 1 else 'have'} no interval, so nothing is said of {_them(without)}")
    return "; ".join(parts)


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def of_turing(pool: Pool, tests: Sequence[Tested]) -> Iterator[Said]:
    """Whether a method's posts pass for the person's own."""
    for test in tests:
        where = f"Turing test, {test.judge} on {pool.title}"
        if test.discerns:
            met = {standing: [row.method for row in test.methods if row.standing == standing] for standing in _STANDINGS}
            told = "; ".join(_STANDINGS[each].format(methods=listed(methods)) for each, methods in met.items() if methods)
        else:
            least = f"{share(0.5 + test.margin)}, one half and the margin"
            rate = f"{share(test.sensitivity.mean)} {shares(test.sensitivity.low, test.sensitivity.high)}"
            told = f"not interpretable. It tells the person's post from a stranger's in {rate} of pairs, not surely more than {least}"
        yield Said("turing", test.judge, f"{where}: {told}.")
