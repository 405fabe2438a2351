"""What the verdict says of several writers: whom it is about, what each other one shows, and whether the order depends on who writes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine.report.cases import POOLED
from engine.report.controls import gain_of, personal
from engine.report.data import Setting
from engine.report.pairs import Pair, pair_of
from engine.report.personal import GAIN
from engine.report.settings import others, settings, writer_name
from engine.report.summary import Summary
from engine.report.verdict import controls, leads
from engine.report.wording import METRIC_LABEL, counted, figure, interval, listed
from engine.report.writer_orders import WriterAgreement

VPRAG = "vprag"
READ_CAPTIONS = ("brag", "combined")
"""Methods that hand a writer all captions: extractive under a template, judged under a language model."""


def about(summary: Summary) -> Iterator[str]:
    """Which of several writers the sentences are about."""
    names = [writer_name(summary, setting) for setting in settings(summary) if setting != summary.setting]
    if names:
        yield f"Of {len(names) + 1} writers, this is about {_default(summary)}; further down, of {listed(names)}."


def against_captions(summary: Summary) -> Iterator[str]:
    """How the retrieval method stands to those that are shown all captions, where they are judged and the lead has not said it."""
    ranked = summary.ranked(POOLED)
    rivals = [method for method in READ_CAPTIONS if method in ranked]
    if VPRAG not in ranked or ranked[0] == VPRAG or not rivals:
        return
    pairs = [pair for method in rivals if (pair := pair_of(summary, VPRAG, method, summary.metric))]
    parts = []
    for words, here in (
        ("is ahead of", [pair for pair in pairs if pair.ahead]),
        ("is behind", [pair for pair in pairs if pair.behind]),
        ("is not told apart from", [pair for pair in pairs if not pair.ahead and not pair.behind]),
    ):
        parts += [f"{words} {listed([f'{pair.other} ({pair.figures})' for pair in here])}"] if here else []
    if parts:
        yield f"In {METRIC_LABEL[summary.metric]}, against the methods that are shown all captions, {VPRAG} {'; it '.join(parts)}."


def each_other(summary: Summary) -> Iterator[str]:
    """For every other writer what cannot be trusted, who leads and what is personal; then whether it orders the methods alike."""
    orders = []
    for name, other in others(summary):
        told = [*controls.distrust(other), *leads.conclusion(other), *against_captions(other), *_personal(other)]
        pasted = f" {listed(other.extractive)} pasted captions and {_is(other.extractive)} not judged." if other.extractive else ""
        yield f"Prompts by {name}: {' '.join(told)}{pasted}"
        orders.append(_order(summary, other, name))
    yield from orders


def _order(summary: Summary, other: Summary, name: str) -> str:
    default = _default(summary)
    alike, turned = sure_pairs(summary, other)
    row = _agreement(summary, other)
    tau = f" (Kendall's tau over {counted(row.methods, 'method')} {figure(row.tau, 2)} {interval(row.low, row.high, 2)})" if row else ""
    if turned:
        return f"The order of the methods depends on the writer{tau}: {default} puts {listed(turned)}, {name} the reverse, both surely."
    if alike:
        return f"{default} and {name} surely order {counted(len(alike), 'pair')} of methods alike and none the other way round{tau}."
    return f"Whether {default} and {name} order the methods alike cannot be told: no pair is sure under both{tau}."


def sure_pairs(one: Summary, two: Summary) -> tuple[list[str], list[str]]:
    """Pairs of methods that are surely ordered under both settings: alike, and the other way round, as "a over b" under the first."""
    alike, turned = list[str](), list[str]()
    both = [method for method in one.judged() if method in two.judged()]
    for first, second in combinations(both, 2):
        here, there = (pair_of(each, first, second, one.metric) for each in (one, two))
        if here and there and _is_sure(here) and _is_sure(there):
            ahead, behind = (first, second) if here.ahead else (second, first)
            (alike if here.ahead == there.ahead else turned).append(f"{ahead} over {behind}")
    return alike, turned


def _is_sure(pair: Pair) -> bool:
    return pair.ahead or pair.behind


def _agreement(summary: Summary, other: Summary) -> WriterAgreement | None:
    both = {summary.setting, other.setting}
    for row in summary.writer_agreement:
        pair = {Setting(row.writer, row.backbone, row.budget), Setting(row.other_writer, row.other_backbone, row.budget)}
        if row.task == POOLED and pair == both:
            return row
    return None


def _personal(summary: Summary) -> Iterator[str]:
    """The judged methods that may be called personalised."""
    rows = [row for method in summary.judged() if (row := gain_of(summary, method))]
    if any(personal(row) is not None for row in rows):
        yield f"Personalised, by {METRIC_LABEL[GAIN[summary.metric]]}: {listed([row.method for row in rows if personal(row)])}."


def _is(methods: tuple[str, ...]) -> str:
    return "is" if len(methods) == 1 else "are"


def _default(summary: Summary) -> str:
    return writer_name(summary, summary.setting) if summary.setting else ""
