"""What the figures allow to be said, and what they do not."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import KINDS, POOLED
from engine.report.data import CONTROLS, RunFacts
from engine.report.prompt_length import longer_scores_higher
from engine.report.rows import Difference, Disagreement
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, count, counted, figure, interval, listed, signed, task_words


def verdict(summary: Summary, facts: RunFacts) -> Iterator[str]:
    """Sentences about the default setting's own score, each no stronger than its interval.

    Extractive methods and controls are left out. Differences are paired, with intervals per pair.
    """
    yield from _standing(summary)
    yield from conclusion(summary)
    label = METRIC_LABEL[summary.metric]
    ranked = _ranked(summary, POOLED)
    if not ranked:
        return
    yield from _pasted_ahead(summary, ranked[0])
    if len(ranked) > 1:
        yield from _by_task(summary, ranked[0])
        yield from _disagreements(summary, ranked[0])
    yield from longer_scores_higher(summary)
    if summary.extractive:
        yield (
            f"{listed(summary.extractive)} {_is(summary.extractive)} extractive under this writer (captions are pasted, not written) and "
            "so left out of the verdict; such a method can be judged only through a language-model writer."
        )
    ceiling = next((row for row in summary.ceilings if row.metric == summary.metric), None)
    if ceiling:
        yield (
            f"People's own captions, each with itself left out, score {label} {figure(ceiling.mean)} "
            f"({interval(ceiling.low, ceiling.high)}) over {counted(ceiling.n, 'person')}: a reference for every score, not a limit."
        )
    yield from _limits(summary, facts)


def _standing(summary: Summary) -> Iterator[str]:
    if summary.partial:
        people = f"{count(summary.planned_people)} of {counted(summary.total_people, 'person')}"
        yield f"PARTIAL: {people} planned; the figures describe those."
    if not summary.complete:
        yield "Incomplete: some planned units have no outcome yet, and the figures can still move."


def conclusion(summary: Summary) -> Iterator[str]:
    """How the methods that may be judged compare over all tasks, or why that cannot be said."""
    ranked = _ranked(summary, POOLED)
    if not ranked:
        yield f"No verdict: no method that may be judged here has a {METRIC_LABEL[summary.metric]}."
    elif len(ranked) == 1:
        yield f"No comparison: {ranked[0]} is the only method that may be judged here."
    else:
        yield from _lead(summary, ranked)


def _ranked(summary: Summary, task: str) -> list[str]:
    rows = summary.of_setting(summary.results, task=task, metric=summary.metric)
    among = summary.judged()
    judged = [row for row in rows if row.method in among and row.mean is not None]
    return [row.method for row in sorted(judged, key=lambda row: -row.mean)]


def _difference(summary: Summary, one: str, two: str, metric: str) -> tuple[Difference, int] | None:
    """The difference between two methods and the sign that makes it one - two."""
    for row in summary.of_setting(summary.differences, task=POOLED, metric=metric):
        if (row.method, row.other) == (one, two):
            return row, 1
        if (row.method, row.other) == (two, one):
            return row, -1
    return None


def _lead(summary: Summary, ranked: list[str]) -> Iterator[str]:
    best, label = ranked[0], METRIC_LABEL[summary.metric]
    ahead: list[str] = []
    level: list[str] = []
    unknown: list[str] = []
    for other in ranked[1:]:
        found = _difference(summary, best, other, summary.metric)
        if found is None:
            unknown.append(f"{other} (no case in common)")
            continue
        row, sign = found
        basis = f"{counted(row.n, 'case')}, {counted(row.clusters, 'cluster')}"
        if row.mean is None or row.low is None or row.high is None:
            unknown.append(f"{other} ({basis}: no interval)")
            continue
        low, high = sorted((sign * row.low, sign * row.high))
        words = f"{other} ({signed(sign * row.mean)} [{signed(low)}, {signed(high)}], {basis})"
        (ahead if low > 0 else level).append(words)
    if ahead:
        yield f"{_among(summary)}{best} scored a higher mean {label} over all tasks than {listed(ahead)}." + _but(summary, best)
    if level:
        field = "" if ahead else _among(summary)
        yield f"{field}{best} has the highest mean {label} over all tasks, but it cannot be told apart from {listed(level)}."
    if unknown:
        yield f"Nothing can be said about {best} against {listed(unknown)}."


def _among(summary: Summary) -> str:
    """The opening of a sentence about the best: among which methods, where not all are judged."""
    judged = summary.judged()
    return f"Among the methods that may be judged ({', '.join(judged)}), " if len(judged) < len(summary.methods()) else ""


def _pasted_ahead(summary: Summary, best: str) -> Iterator[str]:
    """That extractive methods stand higher than the best judged one, where they do."""
    label = METRIC_LABEL[summary.metric]
    means = {row.method: row.mean for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric)}
    higher = [method for method in summary.extractive if means.get(method) is not None and means[method] > means[best]]
    sure = [method for method in higher if _sure(_difference(summary, method, best, summary.metric))]
    told = [f"{method} ({figure(means[method])})" for method in sure]
    than = f"higher than {best} ({figure(means[best])})"
    if len(sure) == 1:
        yield f"The extractive method {told[0]} scores {than}, because it pastes the person's own captions."
    elif sure:
        yield f"The extractive methods {listed(told)} score {than}, because they paste the person's own captions."
    rest = [f"{method} ({figure(means[method])})" for method in higher if method not in sure]
    if rest:
        yield f"Extractive and with a higher mean {label} than {best} ({figure(means[best])}), but not told apart from it: {listed(rest)}."


def _sure(found: tuple[Difference, int] | None) -> bool:
    """Whether an interval shows the first method of a difference ahead."""
    if found is None or found[0].low is None or found[0].high is None:
        return False
    return min(found[1] * found[0].low, found[1] * found[0].high) > 0


def _by_task(summary: Summary, best: str) -> Iterator[str]:
    tasks = [task for task in summary.tasks() if task != POOLED and task not in KINDS]
    leaders = {task: ranked[0] for task in tasks if (ranked := _ranked(summary, task))}
    known = [summary.result(leader, task, summary.metric) for task, leader in leaders.items()]
    if any(row is None or row.low is None for row in known):
        return  # without an interval the highest mean of a task is no news
    others = {task: leader for task, leader in leaders.items() if leader != best}
    label = METRIC_LABEL[summary.metric]
    of_judged = "Of the judged methods, " if len(summary.judged()) < len(summary.methods()) else ""
    if others:
        where = listed([f"{leader} in {task_words(task)}" for task, leader in others.items()])
        yield f"{of_judged}{best} does not have the highest mean {label} in every task: it is that of {where}."
    elif len(leaders) > 1:
        yield f"{of_judged}{best} has the highest mean {label} in each of the {len(leaders)} tasks."


def _reversed(summary: Summary) -> list[Disagreement]:
    return [row for row in summary.disagreements if row.task == POOLED and not {row.method, row.other} & set(CONTROLS)]


def _but(summary: Summary, best: str) -> str:
    """What must be said in the same breath as a lead: the other scores that put the best method behind one of the verdict."""
    told = []
    for row in _reversed(summary):
        if row.method == best and row.other not in summary.extractive:
            told.append(f"{METRIC_LABEL[row.other_metric]} puts {row.other} over {best}{_by(summary, row)}")
    return f" But {listed(told)}." if told else ""


def _by(summary: Summary, row: Disagreement) -> str:
    """By how much the other score puts the other method ahead."""
    found = _difference(summary, row.other, row.method, row.other_metric)
    if found is None or found[0].mean is None:
        return ""
    difference, sign = found
    if difference.low is None or difference.high is None:
        return f" ({signed(sign * found[0].mean)})"
    low, high = sorted((sign * difference.low, sign * difference.high))
    return f" ({signed(sign * found[0].mean)} [{signed(low)}, {signed(high)}])"


def _disagreements(summary: Summary, best: str) -> Iterator[str]:
    label = METRIC_LABEL[summary.metric]
    pooled = _reversed(summary)
    rest = [row for row in pooled if row.method != best or row.other in summary.extractive]
    for metric in dict.fromkeys(row.other_metric for row in rest):
        other = METRIC_LABEL[metric]
        pairs = [f"{row.method} over {row.other}" for row in rest if row.other_metric == metric]
        yield f"{label} and {other} disagree: {label} puts {listed(pairs)}, {other} the reverse."
    measured = {row.metric for row in summary.of_setting(summary.results)}
    if summary.metric == "v" and "v_u" in measured and not any(row.other_metric == "v_u" for row in pooled):
        yield "V and V-u order the methods alike over all tasks."


def _limits(summary: Summary, facts: RunFacts) -> Iterator[str]:
    metric = facts.metric_id(summary.metric) or METRIC_LABEL[summary.metric]
    yield (
        f"Differences are within this metric ({metric}) and this encoder ({facts.encoder}); another encoder may order the methods "
        "otherwise. Each interval is 95 % for its own pair, not for all pairs at once."
    )
    if not any(row.method == "stranger" for row in summary.of_setting(summary.outcomes)):
        yield "How much of a lead is personal is not shown: this run has no control on another person's profile."
    if facts.stand_ins:
        yield f"Stand-in models ({listed(facts.stand_ins)}) prove the machinery, not the science."
    if any(row.task.endswith("-editing") for row in summary.outcomes):
        yield "Editing tasks are text-only edit instructions: no image was edited."


def _is(words: tuple[str, ...]) -> str:
    return "are" if len(words) > 1 else "is"
