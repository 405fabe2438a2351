"""How the figures were made, in words: the definitions chosen, the ids that pin them, and the seeds."""

from __future__ import annotations

from collections.abc import Iterator

from engine.keys import seed_of
from engine.report.data import RunFacts
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, METRIC_MEANING, count, counted, listed
from engine.statistics.estimates import FEW_CLUSTERS, FEWEST_CLUSTERS, RESAMPLES
from engine.statistics.shares import SCARCE


def definitions(summary: Summary, facts: RunFacts) -> list[tuple[str, str, str]]:
    """(label, meaning, id) of every metric in the report."""
    measured = {row.metric for row in summary.results} | {row.metric for row in summary.ceilings}
    return [(METRIC_LABEL[name], meaning, facts.metric_ids.get(name, "")) for name, meaning in METRIC_MEANING.items() if name in measured]


def paragraphs(summary: Summary, facts: RunFacts) -> Iterator[str]:
    """The methods text, without a path, a host or a time."""
    people = counted(facts.total_people, "person")
    if facts.planned_people != facts.total_people:
        people = f"{count(facts.planned_people)} of {people}"
    yield (
        f"Run {facts.run} of the {facts.benchmark} benchmark: {people}, {counted(facts.units, 'unit')}, writers {listed(facts.writers)}, "
        f"encoder {facts.encoder}. PA compares a prompt with {facts.pa_id}. Two numbers are comparable only if their metric ids are equal."
    )
    whole = facts.metric_ids.get(facts.benchmark)
    if whole:
        yield f"The definition of every metric below, with all its choices, is {whole}."
    yield (
        "Means are over cases (person and query) in which every method and control has the score; a refused, unparsed or failed unit is "
        "counted as missing and never as 0, and where more than 1 % is missing the bounds of the mean are given. A method with scores in "
        "fewer than half of the cases does not decide which cases count. "
        "Each person's units, and those of people who share content, form one cluster. Generation and editing pool the tasks of that kind."
    )
    yield (
        f"Intervals are 95 %, from {count(RESAMPLES)} resamples (seed {seed_of(facts.run, 'report', 'bootstrap')}) of people and, within "
        "each task, of query families, the same for every method, so that differences are paired. The resamples are those of the "
        "pigeonhole bootstrap (Owen 2007), scaled to the two-way cluster-robust standard error (Cameron, Gelbach and Miller 2011) and "
        f"widened to Student's t with the degrees of freedom of the fewer side; under {FEWEST_CLUSTERS} people or families there is none. "
        f"Where queries do not vary, people alone are resampled, under {FEW_CLUSTERS} clusters by bootstrap-t."
    )
    yield (
        "All pairs of methods within a task and metric also have simultaneous intervals (the largest of all studentised differences in "
        "each resample) and Holm's adjusted p values from the same resamples. Scores at equal length match prompts of a task within five "
        "words, with what is left of a difference in length taken out by one slope; the order of methods by two scores is compared by "
        "Kendall's tau-b, with people resampled."
    )
    yield (
        "Personal gain is a prompt's score against the right person less its mean score against up to three strangers. The gains of all "
        "methods and controls in a task and metric are one family of tests; a method is called personalised where its simultaneous "
        "interval lies above 0 and Holm's p is at most .05. The share of a lead that is personal is the difference in gain over that in "
        "score, with the interval of a ratio of means, linearised. A control counts as not as expected only where an interval says so. "
        "Slices of the leading pair carry q values after Benjamini and Hochberg (1995) and enter no sentence of the verdict."
    )
    yield (
        "Win shares and Cohen's d use only cases (person and query) in which every compared method has a value; ties are split. Cohen's d "
        "is post hoc, against the best method of the row that the verdict may name; the best is chosen anew in each resample, and the "
        "intervals are percentile intervals."
    )
    if len(facts.writers) > 1:
        yield (
            "Each writer's comparisons are families of tests of their own, and no mean is compared between writers: only the order of the "
            "methods is, by Kendall's tau-b over the cases that both wrote for, with people resampled, and by the pairs that both surely "
            f"order. Sentences and charts are about {facts.writer}: the first writer that is a language model and no stand-in, else the "
            "first language model, else the first."
        )
    yield (
        "A win share has Wilson's score interval (1927) on the effective number of cases, with Student's t for the number of clusters, "
        "after Korn and Graubard (1998) and Franco, Little, Louis and Slud (2019). The effective number is p (1 - p) over the variance of "
        "the share p between clusters: at most the number of cases, and at most the number of clusters where fewer than "
        f"{SCARCE} clusters hold a win, or fewer than {SCARCE} a loss. Under {FEWEST_CLUSTERS} clusters there is no interval."
    )
    yield f"The run's own seed is {facts.seed}. The sampled prompts are drawn with a seed from the run's id."


def status(summary: Summary) -> list[str]:
    """The words that stand beside the title: complete or not, partial or not."""
    words = ["complete" if summary.complete else "incomplete"]
    if summary.partial:
        words.append(f"PARTIAL: {count(summary.planned_people)} of {counted(summary.total_people, 'person')}")
    return words
