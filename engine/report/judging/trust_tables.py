"""The tables of agreement: judges with each other, with the run's own score, and with people."""

from __future__ import annotations

from engine.report.judging.rows import Estimate
from engine.report.judging.tables import column_label, share_told
from engine.report.judging.trust import Trust
from engine.report.tables import Table
from engine.report.wording import NOTHING, count, figure, interval, listed, share


def orders(trust: Trust, metric: str) -> Table:
    """Spearman's correlation at three levels."""
    body = [
        (
            f"{column_label(row.one, metric)} · {column_label(row.other, metric)}",
            *(_value(each) for each in (row.case, row.within, row.system)),
            count(row.case.n),
            count(row.within.n),
            count(row.constant),
        )
        for row in trust.orders
    ]
    note = (
        "By case: over all outputs at once, easy and hard cases included. Within cases: the mean over cases of the correlation across "
        "their methods. By method: between the methods' means. In a constant case one of the two told nothing apart."
    )
    heads = ("scores", "by case", "within cases", "by method", "outputs", "cases", "constant")
    return Table("Spearman's correlation", heads, tuple(body), note)


def together(trust: Trust) -> Table:
    """Krippendorff's alpha and Kendall's W over all judges."""
    body = [
        (
            listed(list(row.judges)),
            _value(row.alpha),
            f"{_value(row.w)}\nsd {figure(row.w_deviation)}",
            count(row.alpha.n),
            count(row.w.n),
            count(row.incomplete),
            count(row.tied),
        )
        for row in trust.together
    ]
    heads = ("judges", "Krippendorff's alpha", "Kendall's W a case", "outputs", "cases", "incomplete", "all tied")
    return Table("All judges together", heads, tuple(body), "Alpha takes ratings as an interval scale; W is a mean over complete cases.")


def kappas(trust: Trust) -> Table:
    """Cohen's kappa of every two judges on pairs."""
    body = [(f"{row.one} · {row.other}", _value(row.kappa), count(row.kappa.n)) for row in trust.kappas]
    note = "On the same pairs, three answers: one, the other, a tie; a judge whose two orders contradict each other has answered a tie."
    return Table("Cohen's kappa on pairs", ("judges", "kappa", "pairs"), tuple(body), note)


def tops(trust: Trust, metric: str) -> Table:
    """Top-2 against people under its three definitions."""
    body = [
        (
            column_label(row.score, metric),
            *(f"{share_told(of)}\nchance {share(chance)}" for of, chance in zip((row.hit, row.set, row.overlap), row.chance, strict=True)),
            count(row.hit.n),
        )
        for row in trust.tops
    ]
    heads = ("score", "hit", "set", "overlap", "cases")
    note = "Hit: its best method is among people's two best. Set: the same two are best. Overlap: the share of its two best that are."
    return Table("Top-2 against people", heads, tuple(body), note)


def calibrations(trust: Trust) -> Table:
    """Whether judges are calibrated."""
    body = [
        (
            row.judge,
            "calibrated" if row.calibrated else f"uncalibrated: {row.reason}",
            *(_value(each) for each in (row.mae, row.constant_mae, row.spearman)),
        )
        for row in trust.calibrations
    ]
    heads = ("judge", "verdict", "error on other people", "error of their mean", "Spearman")
    note = "An isotonic map of the judge's ratings to people's, fitted on half of the people and tried on the other half, both ways."
    return Table("Calibration", heads, tuple(body), note)


def accuracies(trust: Trust) -> Table:
    """How often judges prefer what most people prefer."""
    rules = list(dict.fromkeys(rule for row in trust.accuracies for rule, _ in row.rules))
    body = [
        (
            row.judge,
            *(share_told(dict(row.rules)[rule]) + f"\nn {count(dict(row.rules)[rule].n)}" for rule in rules),
            count(row.items),
            count(row.undecided),
        )
        for row in trust.accuracies
    ]
    note = (
        "Decided: both prefer one. Half: a tie against a preference counts half. Strict: three answers. Undecided pairs have no majority."
    )
    heads = ("judge", *(rule.removeprefix("accuracy-") for rule in rules), "pairs", "undecided")
    return Table("Accuracy against the majority of people", heads, tuple(body), note)


def _value(found: Estimate | None) -> str:
    return NOTHING if found is None or found.mean is None else f"{figure(found.mean)}\n{interval(found.low, found.high)}"
