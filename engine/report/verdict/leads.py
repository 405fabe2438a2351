"""Who leads in the run's own score among the methods that may be judged, and over whom that may be claimed."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import KINDS, POOLED
from engine.report.controls import gain_of, gain_told, personal
from engine.report.pairs import Pair, pair_of
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, count, counted, figure, listed, task_words


def conclusion(summary: Summary) -> Iterator[str]:
    """How the methods that may be judged compare over all tasks, or why that cannot be said."""
    ranked = summary.ranked(POOLED)
    if not ranked:
        yield f"No verdict: no method that may be judged here has a {METRIC_LABEL[summary.metric]}."
    elif len(ranked) == 1:
        yield f"No comparison: {ranked[0]} is the only method that may be judged here."
    else:
        yield from _lead(summary, ranked)
    for method in summary.judged():
        row = summary.result(method, POOLED, summary.metric)
        if row and row.mean is not None and method not in ranked:
            yield f"{method} is not ranked: it has a {METRIC_LABEL[summary.metric]} in {count(row.n)} of {counted(row.cases, 'case')} only."


def led(summary: Summary) -> tuple[str, list[Pair]]:
    """The best judged method and the pairs in which it may be said to lead in the run's own score; "" and none without a method."""
    ranked = summary.ranked(POOLED)
    if not ranked:
        return "", []
    pairs = [pair for other in ranked[1:] if (pair := pair_of(summary, ranked[0], other, summary.metric))]
    return ranked[0], [pair for pair in pairs if pair.ahead]


def _lead(summary: Summary, ranked: list[str]) -> Iterator[str]:
    best, label = ranked[0], METRIC_LABEL[summary.metric]
    ahead: list[str] = []
    level: list[str] = []
    unknown: list[str] = []
    for other in ranked[1:]:
        pair = pair_of(summary, best, other, summary.metric)
        if pair is None:
            unknown.append(f"{other} (no case in common)")
        elif not pair.known:
            unknown.append(f"{other} ({pair.basis}: no interval)")
        else:
            (ahead if pair.ahead else level).append(f"{other} ({pair.told})")
    if ahead:
        yield f"{_among(summary)}{best} scored a higher mean {label} over all tasks than {listed(ahead)}.{_but(summary, best)}"
    if level:
        field = "" if ahead else _among(summary)
        yield f"{field}{best} has the highest mean {label} over all tasks, but it cannot be told apart from {listed(level)}."
    if unknown:
        yield f"Nothing can be said about {best} against {listed(unknown)}."


def _among(summary: Summary) -> str:
    """The opening of a sentence about the best: among which methods, where not all are judged."""
    judged = summary.judged()
    return f"Among the methods that may be judged ({', '.join(judged)}), " if len(judged) < len(summary.methods()) else ""


def _but(summary: Summary, best: str) -> str:
    """What must be said in the same breath as a lead: that it is not personal, and the scores that put another method over the best."""
    told = []
    row = gain_of(summary, best)
    if row and personal(row) is False:
        told.append(f"{best} is not personalised ({METRIC_LABEL[row.metric]} {gain_told(row)})")
    for turned in summary.disagreements:
        if turned.task == POOLED and turned.method == best and turned.other in summary.judged():
            own = pair_of(summary, best, turned.other, turned.metric)
            other = pair_of(summary, turned.other, best, turned.other_metric)
            if other and ((own and own.ahead) or other.ahead):
                told.append(f"{METRIC_LABEL[turned.other_metric]} puts {turned.other} over {best} ({other.figures})")
    return f" But {listed(told)}." if told else ""


def pasted_ahead(summary: Summary, best: str) -> Iterator[str]:
    """That extractive methods stand higher than the best judged one, where they do."""
    label = METRIC_LABEL[summary.metric]
    means = {row.method: row.mean for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric)}
    higher = [method for method in summary.extractive if means.get(method) is not None and means[method] > means[best]]
    pairs = {method: pair_of(summary, method, best, summary.metric) for method in higher}
    sure = [method for method in higher if (pair := pairs[method]) and pair.ahead]
    told = [f"{method} ({figure(means[method])})" for method in sure]
    than = f"higher than {best} ({figure(means[best])})"
    if len(sure) == 1:
        yield f"The extractive method {told[0]} scores {than}, because it pastes the person's own captions."
    elif sure:
        yield f"The extractive methods {listed(told)} score {than}, because they paste the person's own captions."
    rest = [f"{method} ({figure(means[method])})" for method in higher if method not in sure]
    if rest:
        yield f"Extractive and with a higher mean {label} than {best} ({figure(means[best])}), but not told apart from it: {listed(rest)}."


def set_aside(summary: Summary) -> Iterator[str]:
    """That extractive methods are left out."""
    if summary.extractive:
        yield (
            f"{listed(summary.extractive)} {'are' if len(summary.extractive) > 1 else 'is'} extractive under this writer (captions are "
            "pasted, not written) and so left out of the verdict; such a method can be judged only through a language-model writer."
        )


def by_task(summary: Summary) -> Iterator[str]:
    """Whether the best method over all tasks leads in each, and where another one surely leads over it."""
    best = next(iter(summary.ranked(POOLED)), "")
    tasks = [task for task in summary.tasks() if task != POOLED and task not in KINDS]
    leaders = {task: ranked[0] for task in tasks if len(ranked := summary.ranked(task)) > 1}
    if len(leaders) < 2:
        return
    label, of_judged = METRIC_LABEL[summary.metric], ""
    if len(summary.judged()) < len(summary.methods()):
        of_judged = "Of the judged methods, "
    pairs = {task: pair_of(summary, leader, best, summary.metric, task) for task, leader in leaders.items() if leader != best}
    if any((row := summary.result(leader, task, summary.metric)) is None or row.low is None for task, leader in leaders.items()):
        return  # without an interval the highest mean of a task is no news
    if pairs:
        sure = [_in_task(task, pair, "") for task, pair in pairs.items() if pair and pair.ahead]
        unsure = [_in_task(task, pair, ", not told apart") for task, pair in pairs.items() if pair and not pair.ahead]
        yield f"{of_judged}{best} does not have the highest mean {label} in every task: it is that of {listed([*sure, *unsure])}."
    else:
        yield f"{of_judged}{best} has the highest mean {label} in each of the {len(leaders)} tasks."


def _in_task(task: str, pair: Pair, note: str) -> str:
    return f"{pair.method} in {task_words(task)} ({pair.figures}{note})"
