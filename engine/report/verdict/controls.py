"""What the controls say of the figures: first of all, whether they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.controls import failed, gain_of, gain_told
from engine.report.pairs import pair_of
from engine.report.personal import CROSS, GAIN, SECOND
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, figure, listed


def distrust(summary: Summary) -> Iterator[str]:
    """That a control does what it must not, with its figures and what follows: for the figures, before anything is said of a method."""
    broken = failed(summary)
    if broken:
        reasons = [f"{check.control} ({check.must}): {check.found}, so {check.consequence}" for check in broken]
        yield f"The figures cannot be trusted for what they claim. Not as expected: {'; '.join(reasons)}."


def retrieval(summary: Summary) -> Iterator[str]:
    """What choosing elements by the query adds to as many of the person's elements drawn at random."""
    found = [
        (metric, pair_of(summary, "vprag", "random", metric)) for metric in (summary.metric, GAIN[summary.metric], SECOND[summary.metric])
    ]
    known = {metric: pair for metric, pair in found if pair and pair.known}
    if summary.metric not in known:
        return
    parts = []
    for words, here in (
        ("is ahead in", [pair for pair in known.values() if pair.ahead]),
        ("falls behind in", [pair for pair in known.values() if pair.behind]),
        ("adds nothing that can be shown in", [pair for pair in known.values() if not pair.ahead and not pair.behind]),
    ):
        told = [f"{METRIC_LABEL[pair.metric]} ({pair.figures})" for pair in here]
        parts += [f"{words} {listed(told)}"] if told else []
    yield f"Retrieval, against as many of the person's elements drawn at random: vprag {'; it '.join(parts)}."


def own_captions(summary: Summary) -> Iterator[str]:
    """Where a person's own captions, held out, stand among the judged methods, and what of them is personal."""
    label = METRIC_LABEL[summary.metric]
    own = summary.result("own", POOLED, summary.metric)
    if own is None or own.mean is None:
        return
    told = f"Own captions, held out and as long as vprag's prompts, score {label} {figure(own.mean)}, on the fewer captions that are left"
    row = gain_of(summary, "own")
    yield f"{told}, with a personal gain of {gain_told(row)}." if row else f"{told}."
    # On captions that neither they nor a method saw, all are scored on equally many.
    cross = CROSS[summary.metric]
    pairs = [pair for method in summary.judged() if (pair := pair_of(summary, method, "own", cross))]
    ahead = [f"{pair.method} ({pair.figures})" for pair in pairs if pair.ahead]
    behind = [f"{pair.method} ({pair.figures})" for pair in pairs if pair.behind]
    if ahead:
        yield (
            f"In {METRIC_LABEL[cross]} {listed(ahead)} score{'s' if len(ahead) == 1 else ''} more than what the person wrote, which shows "
            "how the score is met, not that it knows the person better."
        )
    if behind:
        yield f"In {METRIC_LABEL[cross]} {listed(behind)} score{'s' if len(behind) == 1 else ''} less than what the person wrote."
