"""Which methods may be called personalised, and what share of a lead over the baseline is personal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.controls import gain_of, gain_told, personal
from engine.report.pairs import Pair, pair_of
from engine.report.personal import BASELINE, GAIN, PersonalShare
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, counted, listed


def personalised(summary: Summary) -> Iterator[str]:
    """Every method by whether the simultaneous interval of its gain lies above 0."""
    metric = GAIN[summary.metric]
    label = METRIC_LABEL[metric]
    rows = [row for method in summary.methods() if (row := gain_of(summary, method))]
    judged = [row for row in rows if row.method in summary.judged()]
    if not judged:
        yield f"Nothing can be said about what is personal: no judged method has a {label}."
        return
    known = [row for row in judged if personal(row) is not None]
    if not known:
        few = min(row.clusters for row in judged)
        yield f"No method is called personalised: there is no interval of the {label} ({counted(few, 'cluster')} of people)."
        return
    told = {kind: [f"{row.method} ({gain_told(row)})" for row in known if personal(row) is kind] for kind in (True, False)}
    basis = f"{counted(known[0].n, 'case')}, {counted(known[0].clusters, 'cluster')}"
    if told[True]:
        yield f"Personalised, by {label} (simultaneous intervals, {basis}): {listed(told[True])}."
    else:
        yield f"No judged method is called personalised, by {label} (simultaneous intervals, {basis})."
    if told[False]:
        yield f"Not called personalised, since the interval of its gain does not lie above 0: {listed(told[False])}."
    unknown = [row.method for row in judged if personal(row) is None]
    if unknown:
        yield f"Not called personalised, since its gain has no interval: {listed(unknown)}."
    pasted = [f"{row.method} ({gain_told(row)})" for row in rows if row.method in summary.extractive]
    if pasted:
        yield f"Extractive and not judged, by the same: {listed(pasted)}."


def share_of_leads(summary: Summary) -> Iterator[str]:
    """For each method that surely leads the baseline: what share of that lead is personal."""
    label = METRIC_LABEL[summary.metric]
    told = []
    for row in shares(summary):
        lead = pair_of(summary, row.method, BASELINE, summary.metric)
        if row.method in summary.judged() and lead and lead.ahead:
            told.append(f"of {row.method}'s lead over {BASELINE} in {label} ({lead.figures}), {share_told(row)} is personal")
    if told:
        yield f"{told[0][0].upper()}{'; '.join(told)[1:]}."
    elif summary.ranked(POOLED) and BASELINE in summary.judged() and len(summary.ranked(POOLED)) > 1:
        yield f"No share of a lead is called personal: {_why(summary)}."


def shares(summary: Summary) -> list[PersonalShare]:
    """The shares in the run's own score over all tasks."""
    rows = summary.of_setting(summary.personal_shares, task=POOLED, metric=summary.metric)
    return [row for row in rows if row.share is not None]


def share_told(row: PersonalShare) -> str:
    """A share with its interval, in whole per cent."""
    ends = "no interval" if row.low is None or row.high is None else f"[{_whole(row.low)}, {_whole(row.high)}]"
    return f"{_whole(row.share)} % {ends}"


def _whole(value: float | None) -> str:
    return f"{100 * (value or 0.0):.0f}".replace("-", "\u2212")


def _why(summary: Summary) -> str:
    pairs: list[Pair] = [
        pair for method in summary.judged() if method != BASELINE and (pair := pair_of(summary, method, BASELINE, summary.metric))
    ]
    if not any(pair.ahead for pair in pairs):
        return f"no judged method surely leads {BASELINE} in {METRIC_LABEL[summary.metric]}"
    return f"no {METRIC_LABEL[GAIN[summary.metric]]} is known beside a lead over {BASELINE}"
