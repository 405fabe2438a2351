"""Whether a lead in the run's own score survives: other definitions, captions that no method saw, another space, equal length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from engine.report.cases import POOLED
from engine.report.data import CONTROLS
from engine.report.pairs import Pair, pair_of
from engine.report.personal import GAIN, SECOND
from engine.report.rows import Disagreement, OrderAgreement
from engine.report.summary import Summary
from engine.report.verdict.leads import led
from engine.report.wording import METRIC_LABEL, counted, figure, listed, share, signed_interval

TESTS = {
    "v": ("gain", "v_u", "v_mean_caption", "v_literal", "cross_v", "second_v"),
    "v_c": ("gain_c", "v_c_mean_caption", "v_c_literal", "cross_v_c", "second_v_c"),
}
"""For a preset's own score: the other scores that a lead in it should survive."""

SHOWN, TURNED, LOST, UNKNOWN, ABSENT = "shown", "turned round", "not shown", "no interval", "not measured"
_WORDS = {
    SHOWN: "is also shown in",
    TURNED: "turns round in",
    LOST: "is not shown in",
    UNKNOWN: "cannot be told in",
    ABSENT: "is not measured in",
}


@dataclass(frozen=True, slots=True)
class Survival:
    """What one other score, or equal length, makes of a lead; `figures` belong to it."""

    score: str
    state: str
    figures: str = ""

    @property
    def words(self) -> str:
        """Figures stand only where the lead is not simply shown again."""
        return self.score if self.state in (SHOWN, ABSENT) else f"{self.score} ({self.figures})"


def survivals(summary: Summary, lead: Pair) -> list[Survival]:
    """The lead looked at in every other way."""
    found = []
    for metric in TESTS[summary.metric]:
        pair = pair_of(summary, lead.method, lead.other, metric)
        label = METRIC_LABEL[metric]
        if pair is None:
            found.append(Survival(label, ABSENT))
        elif not pair.known:
            found.append(Survival(label, UNKNOWN, f"{pair.figures}, {pair.basis}"))
        else:
            found.append(Survival(label, SHOWN if pair.ahead else TURNED if pair.mean < 0 else LOST, _figures(pair)))
    return [*found, _at_equal_length(summary, lead)]


def _figures(pair: Pair) -> str:
    return f"{pair.figures}, not surely" if pair.mean < 0 and not pair.behind else pair.figures


def _at_equal_length(summary: Summary, lead: Pair) -> Survival:
    for row in summary.of_setting(summary.length_matched, task=POOLED, metric=summary.metric):
        if {row.method, row.other} != {lead.method, lead.other}:
            continue
        if row.difference is None:
            return Survival("at equal length", UNKNOWN, "the two hardly write prompts of the same length")
        turned = row.method != lead.method
        mean = -row.difference if turned else row.difference
        low, high = (row.low, row.high) if not turned else (_negated(row.high), _negated(row.low))
        told = f"{signed_interval(mean, low, high)} where lengths meet, {share(min(row.share or 0.0, row.other_share or 0.0))} of cases"
        if low is None:
            return Survival("at equal length", UNKNOWN, told)
        return Survival("at equal length", SHOWN if low > 0 else TURNED if high is not None and high < 0 else LOST, told)
    return Survival("at equal length", ABSENT)


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def survival(summary: Summary) -> Iterator[str]:
    """For every sure lead of the best judged method in how many other ways it is seen; rivals of whom the same is said share a sentence."""
    best, pairs = led(summary)
    told: dict[str, list[str]] = {}
    for pair in pairs:
        found = survivals(summary, pair)
        parts = []
        for state, words in _WORDS.items():
            here = [one.words for one in found if one.state == state]
            if here:
                parts.append(f"{words} {listed(here)}")
        told.setdefault("; it ".join(parts), []).append(pair.other)
    for words, others in told.items():
        yield f"The lead of {best} over {listed(others)} in {METRIC_LABEL[summary.metric]} {words}.".replace("in at equal", "at equal")


def agreement(summary: Summary, metric: str, other: str) -> OrderAgreement | None:
    """Kendall's tau between the orders by two metrics over all tasks, if there is one."""
    return next(iter(summary.of_setting(summary.order_agreement, task=POOLED, metric=metric, other_metric=other)), None)


def tau_told(row: OrderAgreement) -> str:
    """Kendall's tau with its interval."""
    ends = "no interval" if row.low is None or row.high is None else f"[{figure(row.low, 2)}, {figure(row.high, 2)}]"
    return f"{figure(row.tau, 2)} {ends}"


def encoder_dependent(summary: Summary) -> tuple[list[Pair], list[Pair], list[Pair], list[Pair]]:
    """The pairs of judged methods that the run's own score surely orders, oriented by it, as they are in the second space: those whose
    order turns round there, those whose order is not shown, those that keep it; and, as they are here, those not compared there."""
    turned, lost, kept, missing = list[Pair](), list[Pair](), list[Pair](), list[Pair]()
    for one, two in combinations(summary.judged(), 2):
        own = pair_of(summary, one, two, summary.metric)
        if own is None or not (own.ahead or own.behind):
            continue
        ahead, behind = (one, two) if own.ahead else (two, one)
        second = pair_of(summary, ahead, behind, SECOND[summary.metric])
        if second is not None:
            (turned if second.mean < 0 else kept if second.ahead else lost).append(second)
        else:
            missing.append(own)
    return turned, lost, kept, missing


def second_space(summary: Summary) -> Iterator[str]:
    """Whether the order of the judged methods survives in an embedding that no method uses."""
    label = METRIC_LABEL[summary.metric]
    measured = any(row.metric == SECOND[summary.metric] for row in summary.of_setting(summary.results, task=POOLED))
    if len(summary.judged()) < 2:
        return
    if not measured:
        yield "No second space was scored: whether another encoder orders the methods alike is not known."
        return
    row = agreement(summary, summary.metric, SECOND[summary.metric])
    too = ", extractive ones too," if summary.extractive else ""
    tau = f" (Kendall's tau between the orders of {counted(row.methods, 'method')}{too} {tau_told(row)})" if row else ""
    turned, lost, kept, missing = encoder_dependent(summary)
    if turned:
        pairs = [f"{pair.method} over {pair.other} ({pair.figures}{'' if pair.behind else ', not surely'} there)" for pair in turned]
        yield f"The order is encoder-dependent{tau}: {label} puts {listed(pairs)}, the second space the reverse."
    elif kept or lost:
        many = len(kept) + len(lost)
        pairs_of = "the one pair" if many == 1 else f"all {many} pairs"
        pairs_of += f" compared there, of {many + len(missing)}" if missing else ""
        yield (
            f"Second space{tau}: {pairs_of} of judged methods that {label} surely orders "
            f"{'keeps its' if many == 1 else 'keep their'} order of means there."
        )
    else:
        yield f"Second space{tau}: {label} surely orders no two judged methods, so there is no order to survive."
    if lost:
        pairs = [f"{pair.method} over {pair.other} ({pair.figures})" for pair in lost]
        yield f"Not shown in the second space: {listed(pairs)}."
    if missing:
        yield f"Not compared in the second space: {listed([f'{pair.method} and {pair.other}' for pair in missing])}."


def disagreements(summary: Summary) -> Iterator[str]:
    """The pairs of methods that two definitions of the score order differently, where that is more than a difference nobody can tell."""
    label = METRIC_LABEL[summary.metric]
    pooled = [row for row in summary.disagreements if row.task == POOLED and not {row.method, row.other} & set(CONTROLS)]
    for metric in dict.fromkeys(row.other_metric for row in pooled):
        rows = [row for row in pooled if row.other_metric == metric]
        pairs = [f"{row.method} over {row.other}" for row in rows if _telling(summary, row)]
        if pairs:
            yield f"{label} and {METRIC_LABEL[metric]} disagree: {label} puts {listed(pairs)}, {METRIC_LABEL[metric]} the reverse."
    measured = {row.metric for row in summary.of_setting(summary.results)}
    if summary.metric == "v" and "v_u" in measured and not any(row.other_metric == "v_u" for row in pooled):
        yield "V and V-u order the methods alike over all tasks."


def _telling(summary: Summary, row: Disagreement) -> bool:
    """Whether at least one of the two orders is sure."""
    pairs = (
        pair_of(summary, row.method, row.other, row.metric),
        pair_of(summary, row.other, row.method, row.other_metric),
    )
    return any(pair is not None and pair.ahead for pair in pairs)


def order_pairs(summary: Summary) -> tuple[tuple[str, str], ...]:
    """The pairs of metrics whose orders the report compares first: those that a lead should survive."""
    return tuple((summary.metric, metric) for metric in TESTS[summary.metric] if metric != GAIN[summary.metric])
