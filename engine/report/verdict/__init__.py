"""What the figures allow to be said, and what they do not.

Every sentence is about the default setting, unless it names another writer, and rests on tests over all comparisons of a setting at
once: simultaneous intervals and Holm's p values within a task and metric (METRICS, agreement and effect). What a test does not show is
not said, and where nothing can be said, that is.

controls.py    what shows that the figures cannot be trusted
leads.py       who leads in the run's own score
robustness.py  whether a lead survives other definitions, fresh captions, another space and equal length
personal.py    which methods may be called personalised, and how much of a lead is personal
writers.py     the other writers of a run, and whether the order depends on who writes
limits.py      what all of it is limited to
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.data import RunFacts
from engine.report.prompt_length import longer_scores_higher
from engine.report.summary import Summary
from engine.report.verdict import controls, leads, limits, personal, robustness, writers


def verdict(summary: Summary, facts: RunFacts) -> Iterator[str]:
    """The verdict's sentences, in the order in which a reader needs them."""
    yield from controls.distrust(summary)
    yield from limits.standing(summary)
    yield from writers.about(summary)
    yield from leads.conclusion(summary)
    yield from personal.personalised(summary)
    ranked = summary.ranked(POOLED)
    if ranked:
        yield from personal.share_of_leads(summary)
        yield from robustness.survival(summary)
        yield from controls.retrieval(summary)
        yield from controls.own_captions(summary)
        yield from writers.against_captions(summary)
        yield from leads.pasted_ahead(summary, ranked[0])
        yield from leads.by_task(summary)
        yield from robustness.second_space(summary)
        yield from robustness.disagreements(summary)
        yield from longer_scores_higher(summary)
        yield from leads.set_aside(summary)
        yield from limits.reference(summary)
        yield from limits.missing(summary)
    yield from writers.each_other(summary)
    yield from limits.limits(summary, facts)


def first_sentence(summary: Summary) -> str:
    """The one sentence for a reader who reads no other: what cannot be trusted, or else who leads."""
    return next(iter([*controls.distrust(summary), *leads.conclusion(summary)]))
