"""What stands beside the score so that it can be trusted, as tables: gains, controls, other definitions, other spaces, identifiability."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.cases import POOLED
from engine.report.controls import gain_of, gain_told, people_of, personal
from engine.report.data import CONTROLS, CROSS_METRICS, GAIN_METRICS, REID_METRICS, SECOND_METRICS
from engine.report.pairs import p_value
from engine.report.personal import GAIN
from engine.report.summary import Summary
from engine.report.tables import Table, marked
from engine.report.verdict.leads import led
from engine.report.verdict.personal import share_told, shares
from engine.report.verdict.robustness import Survival, survivals, tau_told
from engine.report.wording import METRIC_LABEL, NOTHING, count, counted, figure, interval, share, signed_interval, task_label

_CALLED = {True: "personalised", False: "not called personalised", None: "no interval"}


def gain_order(summary: Summary) -> list[str]:
    """The methods with a gain: judged, then extractive, then controls, each by falling gain."""
    rows = [row for method in summary.methods() if (row := gain_of(summary, method))]

    def place(method: str) -> int:
        return 2 if method in CONTROLS else 1 if method in summary.extractive else 0

    return [row.method for row in sorted(rows, key=lambda row: (place(row.method), -(row.mean or 0.0)))]


def gains(summary: Summary) -> Table:
    """The personal gain of every method and control, and what of a lead over the baseline is personal."""
    of_lead = {row.method: row for row in shares(summary)}
    body = []
    for method in gain_order(summary):
        row = gain_of(summary, method)
        assert row is not None
        called = "control" if method in CONTROLS else "not judged" if method in summary.extractive else _CALLED[personal(row)]
        part = of_lead.get(method)
        cells = (gain_told(row), NOTHING if row.holm is None else p_value(row.holm).removeprefix("= "), called)
        body.append((marked(summary, method), *cells, share_told(part) if part else NOTHING, count(row.n), count(row.clusters)))
    label = METRIC_LABEL[GAIN[summary.metric]]
    heads = ("method", label, "Holm p", "called", "of the lead over baseline, personal", "n", "clusters")
    note = (
        "Intervals are simultaneous over all methods and controls. Gain: the prompt's score against the right person less its mean over up "
        "to three strangers. The share of a lead is the difference in gain over that in score; of a lead that is not sure it says little."
    )
    return Table("Personal gain", heads, tuple(body), note)


def control_checks(summary: Summary) -> Table:
    """What each control must do and whether it does."""
    body = [(check.control, check.must, check.state, check.found) for check in summary.checks]
    return Table("Controls", ("control", "must", "does it", "found"), tuple(body))


def survival(summary: Summary) -> Table:
    """The leader's sure leads, looked at in every other way."""
    best, pairs = led(summary)
    found = [(pair, survivals(summary, pair)) for pair in pairs]
    body = [(f"{best} \u2212 {pair.other}", pair.figures.replace(" [", "\n[", 1), *(_state(one) for one in every)) for pair, every in found]
    heads = ("lead", METRIC_LABEL[summary.metric], *(one.score for one in found[0][1])) if found else ()
    return Table("What a lead survives", heads, tuple(body), "Simultaneous intervals, but at equal length, where each is for itself.")


def _state(one: Survival) -> str:
    figures = one.figures.replace(" [", "\n[", 1)
    return f"{one.state}\n{figures}" if figures else one.state


def cross_fitted(summary: Summary) -> Table:
    """Cross-fitted scores beside the matched in-sample ones."""
    both = zip(_of_preset(summary, CROSS_METRICS[4:]), _of_preset(summary, CROSS_METRICS[:4]), strict=True)
    metrics = [metric for pair in both for metric in pair]
    note = (
        "Prompts made from half of a person's captions: matched, scored on the half they were made from; cross-fitted, on the other half "
        "(NV on the half that was seen). What falls between the two was fitted to the captions. For a share of the people, on half "
        f"as many captions, so never comparable with {METRIC_LABEL[summary.metric]} above."
    )
    return _by_method(summary, "Matched in sample and cross-fitted", metrics, note)


def second(summary: Summary) -> Table:
    """Scores and gains in the second space."""
    return _by_method(
        summary,
        "Second space",
        _of_preset(summary, SECOND_METRICS),
        "The same prompts, scored in an embedding that no method retrieves or writes with.",
    )


def gain_parts(summary: Summary) -> Table:
    """Gains in the score's other definitions and in its parts."""
    return _by_method(summary, "Gain by part", GAIN_METRICS, "Each interval is for itself.")


def _of_preset(summary: Summary, metrics: Sequence[str]) -> list[str]:
    """Those of the metrics that belong to the run's own score: V and V-c share no table here."""
    return [metric for metric in metrics if metric.endswith("_c") == (summary.metric == "v_c")]


def _by_method(summary: Summary, title: str, metrics: Sequence[str], note: str) -> Table:
    rows = summary.of_setting(summary.results, task=POOLED)
    known = [metric for metric in metrics if any(row.metric == metric and row.mean is not None for row in rows)]
    found = {(row.method, row.metric): row for row in rows if row.mean is not None}
    body = []
    for method in summary.methods():
        here = [found.get((method, metric)) for metric in known]
        if any(here):
            cells = [NOTHING if row is None else f"{figure(row.mean)}\n{interval(row.low, row.high)}" for row in here]
            ns = sorted({row.n for row in here if row})
            clusters = max(row.clusters for row in here if row)
            body.append((marked(summary, method), *cells, "\u2013".join(count(n) for n in dict.fromkeys((ns[0], ns[-1]))), count(clusters)))
    return Table(title, ("method", *(METRIC_LABEL[metric] for metric in known), "n", "clusters"), tuple(body), note)


def orders(summary: Summary) -> Table:
    """Kendall's tau between the orders by two scores."""
    body = [
        (
            f"{METRIC_LABEL[row.metric]} and {METRIC_LABEL[row.other_metric]}", tau_told(row), count(row.methods),
            count(row.reversed_pairs), count(row.n), count(row.clusters),
        )
        for row in summary.of_setting(summary.order_agreement, task=POOLED)
    ]  # fmt: skip
    heads = ("orders by", "Kendall's tau", "methods", "pairs turned round", "cases", "clusters")
    note = f"Methods that compete{', extractive ones too' if summary.extractive else ''}; controls left out."
    return Table("Do two scores order the methods alike?", heads, tuple(body), note)


def equal_length(summary: Summary) -> Table:
    """Every two methods compared where they write prompts of the same length."""
    rows = [
        row
        for row in summary.of_setting(summary.length_matched, task=POOLED, metric=summary.metric)
        if not {row.method, row.other} & set(CONTROLS)
    ]
    body = []
    for row in rows:
        if row.difference is not None:
            told = signed_interval(row.difference, row.low, row.high)
            name = f"{marked(summary, row.method)} \u2212 {marked(summary, row.other)}"
            body.append((name, told, share(row.share), share(row.other_share), f"{count(row.n)}, {count(row.other_n)}"))
    heads = ("difference", f"{METRIC_LABEL[summary.metric]} at equal length", "of the first's cases", "of the second's", "n of each")
    note = (
        "Each interval is for itself. Length is matched within a task, in bins of five words. "
        f"{count(len(rows) - len(body))} of {counted(len(rows), 'pair')} hardly write prompts of the same length and cannot be compared so."
    )
    return Table("At equal length", heads, tuple(body), note)


def bounds(summary: Summary) -> Table:
    """Worst-case bounds where more than 1 % of the units is missing."""
    body = [
        (
            marked(summary, row.method),
            task_label(row.task),
            figure(row.low),
            figure(row.high),
            f"{count(row.missing)} of {count(row.cases)}",
        )
        for row in summary.of_setting(summary.bounds, metric=summary.metric)
    ]
    note = f"If each missing unit had the least, or the most, {METRIC_LABEL[summary.metric]} there is. Shown from 1 % missing on."
    return Table("What missing units could change", ("method", "task", "least", "most", "missing"), tuple(body), note)


def reidentified(summary: Summary) -> Table:
    """How often a prompt finds its own person among others, with what chance finds."""
    sizes = {row.metric: row for row in summary.of_setting(summary.galleries)}
    rows = summary.of_setting(summary.results, task=POOLED)
    known = [metric for metric in REID_METRICS if any(row.metric == metric and row.mean is not None for row in rows)]
    found = {(row.method, row.metric): row for row in rows if row.mean is not None}
    body = []
    if known:
        body.append(("chance", *(share(sizes[m].chance) if m in sizes else NOTHING for m in known)))
        body.append(("people in the gallery", *(_people(sizes[m].smallest, sizes[m].largest) if m in sizes else NOTHING for m in known)))
    for method in summary.methods():
        here = [found.get((method, metric)) for metric in known]
        if any(here):
            cells = [NOTHING if row is None else f"{share(row.mean)}\n{_percent(row.low, row.high)}, n {count(row.n)}" for row in here]
            body.append((marked(summary, method), *cells))
    note = (
        "The right person came first, by the mean of the three best cosines with their captions on the half that the prompt was not made "
        "from. This measures identifiability, not quality. A gallery holds fewer people than its name where the run has fewer."
    )
    return Table("Re-identification", ("method", *(METRIC_LABEL[metric] for metric in known)), tuple(body), note)


def _people(smallest: int, largest: int) -> str:
    return people_of(smallest, largest).removesuffix(" people")


def _percent(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def copying(summary: Summary) -> Table:
    """How near prompts come to captions."""
    body = [
        (
            marked(summary, row.method), figure(row.own_median, 2), share(row.own_share), figure(row.other_median, 2),
            share(row.other_share), count(row.n),
        )
        for row in summary.of_setting(summary.copying)
    ]  # fmt: skip
    heads = ("method", "nearest own caption", "near copies", "nearest of another person", "near copies", "n")
    return Table("Copying", heads, tuple(body), "Medians of the largest cosine; a near copy has .9 or more.")
