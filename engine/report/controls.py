"""What each control must do, and whether it does (METRICS, controls).

A control fails only where an interval says so: the simultaneous one of its family or, for the gallery and for the two estimates of what a
stranger's prompt scores, its own. Where no interval decides, that is said and nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.control_check import AS_EXPECTED, NOT_AS_EXPECTED, OPEN, TOLD, Check
from engine.report.data import CONTROLS
from engine.report.pairs import SURE, Pair, pair_of
from engine.report.personal import GAIN, SECOND, Gain
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, count, counted, figure, interval, listed, share, signed_interval

FIDELITY = ("cross_gs", "gs")
"""The GS of the check: the first of these that was measured. In sample a method is scored on the captions that it read."""

COMPARED = FIDELITY
"""Metrics in which controls are compared with methods beside those in which methods are compared with each other."""

GALLERIES = ("reid_1000", "reid_100")
"""The gallery of the check: the first of these that was searched."""

AGREES_WITHIN = 0.1
"""Two estimates of what a stranger's prompt scores agree within this share of the gain that they stand for."""


def checks(summary: Summary) -> Iterator[Check]:
    """Every check that the run's controls allow, over all tasks of the default setting."""
    here = summary.methods()
    if "stranger" in here:
        yield from _stranger_gain(summary)
        yield from _stranger_found(summary)
        yield from _stranger_agrees(summary)
    if "own" in here:
        yield from _own_gain(summary)
        yield from _own_fidelity(summary)
    if "noise" in here:
        yield from _noise_lowest(summary)
        yield from _noise_gain(summary)
    if "random" in here and "vprag" in here:
        yield from _random(summary)


def gain_of(summary: Summary, method: str, metric: str = "", task: str = POOLED) -> Gain | None:
    """A method's gain in the run's own score, unless another gain is named."""
    rows = summary.of_setting(summary.gains, method=method, task=task, metric=metric or GAIN[summary.metric])
    return next((row for row in rows if row.mean is not None), None)


def gain_told(row: Gain) -> str:
    """A gain with its simultaneous interval."""
    return signed_interval(row.mean, row.family_low, row.family_high)


def personal(row: Gain) -> bool | None:
    """Whether a gain may be called personal: yes, no, or None where there is no interval."""
    if row.family_low is None or row.holm is None:
        return None
    return row.family_low > 0 and row.holm <= SURE


def _stranger_gain(summary: Summary) -> Iterator[Check]:
    must = "a prompt for somebody else has no personal gain"
    consequence = "a gain need not be personal"
    yield from _no_gain(summary, "stranger", must, consequence)


def _noise_gain(summary: Summary) -> Iterator[Check]:
    yield from _no_gain(summary, "noise", "unrelated text has no personal gain", "a gain need not be personal")


def _no_gain(summary: Summary, control: str, must: str, consequence: str) -> Iterator[Check]:
    row = gain_of(summary, control)
    if row is None:
        return
    above = personal(row)
    state = OPEN if above is None else NOT_AS_EXPECTED if above else AS_EXPECTED
    yield Check(control, must, f"{METRIC_LABEL[row.metric]} {gain_told(row)}", state, consequence)


def _stranger_found(summary: Summary) -> Iterator[Check]:
    for metric in GALLERIES:
        row = summary.result("stranger", POOLED, metric)
        if row is None or row.mean is None:
            continue
        size = next(iter(summary.of_setting(summary.galleries, metric=metric)), None)
        chance = size.chance if size else None
        told = f"found in {share(row.mean)} {_percent(row.low, row.high)} of {counted(row.n, 'case')}"
        if size is None or chance is None:
            state, told = OPEN, f"{told}; the size of the gallery is not known"
        else:
            told = f"{told} among {people_of(size.smallest, size.largest)}; chance finds {share(chance)}"
            state = OPEN if row.low is None else NOT_AS_EXPECTED if row.low > chance else AS_EXPECTED
        must = "a prompt for somebody else finds the right person no more often than chance"
        yield Check("stranger", must, told, state, "re-identification does not show that a prompt is the person's")
        return


def people_of(smallest: int, largest: int) -> str:
    """How many people a gallery holds."""
    return f"{count(largest)} people" if smallest == largest else f"{count(smallest)} to {count(largest)} people"


def _percent(low: float | None, high: float | None) -> str:
    return "(no interval)" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def _stranger_agrees(summary: Summary) -> Iterator[Check]:
    row = next(iter(summary.of_setting(summary.stranger_agreement, task=POOLED)), None)
    gain = gain_of(summary, "vprag")
    if row is None or row.difference is None or gain is None or gain.mean is None:
        return
    label = METRIC_LABEL[row.metric]
    told = (
        f"{label} {figure(row.of_control)} against {figure(row.of_strangers)}, {signed_interval(row.difference, row.low, row.high)} over "
        f"{counted(row.n, 'case')}"
    )
    if row.low is None or row.high is None:
        state = OPEN
    else:
        within = AGREES_WITHIN * abs(gain.mean)
        state = NOT_AS_EXPECTED if row.low > within or row.high < -within else AS_EXPECTED
    must = (
        "it scores what vprag's own prompts score against strangers, so that the gain, estimated from those, stands for it (within a tenth "
        "of vprag's gain)"
    )
    yield Check("stranger", must, told, state, "the gain is not what a prompt for somebody else would lose")


def _own_gain(summary: Summary) -> Iterator[Check]:
    row = gain_of(summary, "own")
    if row is None:
        return
    unsure = personal(row) is None or (row.family_high or 0.0) > 0
    state = AS_EXPECTED if personal(row) else OPEN if unsure else NOT_AS_EXPECTED
    must = "a person's own captions, held out, have a personal gain"
    yield Check("own", must, f"{METRIC_LABEL[row.metric]} {gain_told(row)}", state, "the score does not see what is personal")


def _own_fidelity(summary: Summary) -> Iterator[Check]:
    for metric in FIDELITY:
        own = summary.result("own", POOLED, metric)
        pairs = [pair for method in summary.judged() if (pair := pair_of(summary, "own", method, metric))]
        if own is not None and own.mean is not None and pairs:
            break
    else:
        return
    above, level = [pair for pair in pairs if pair.behind], [pair for pair in pairs if not pair.ahead and not pair.behind]
    told = f"{METRIC_LABEL[metric]} {figure(own.mean)} {interval(own.low, own.high)}"
    told += _against("it falls surely short of", above) + _against("it is not told apart from", level)
    told += _against("it is ahead of", [pair for pair in pairs if pair.ahead])
    told += _standing_above(summary, "own", "cross_gs", "also above it") + _standing_above(summary, "own", "gs", "in sample above it")
    state = NOT_AS_EXPECTED if above else OPEN if level else AS_EXPECTED
    must = f"a person's own captions, held out, have a higher {METRIC_LABEL[metric]} than every judged method"
    consequence = "a high GS is more than a person's own captions have and need not mean more of the person"
    yield Check("own", must, told, state, consequence)


def _standing_above(summary: Summary, control: str, metric: str, words: str) -> str:
    """Which methods have a higher mean than a control, judged or not."""
    row = summary.result(control, POOLED, metric)
    if row is None or row.mean is None:
        return ""
    methods = [method for method in summary.methods() if method not in CONTROLS]
    found = [(method, summary.result(method, POOLED, metric)) for method in methods]
    higher = [f"{method} ({figure(one.mean)})" for method, one in found if one and one.mean is not None and one.mean > row.mean]
    return f"; {words} ({METRIC_LABEL[metric]} {figure(row.mean)}): {listed(higher)}" if higher else ""


def _against(words: str, pairs: list[Pair]) -> str:
    """Which methods stand so to a control, by how much: the differences are the control's lead."""
    return f"; {words}: {listed([f'{pair.other} ({pair.figures})' for pair in pairs])}" if pairs else ""


def _noise_lowest(summary: Summary) -> Iterator[Check]:
    metric, label = summary.metric, METRIC_LABEL[summary.metric]
    noise = summary.result("noise", POOLED, metric)
    others = [method for method in summary.methods() if method != "noise"]
    pairs = [pair for method in others if (pair := pair_of(summary, "noise", method, metric))]
    if noise is None or noise.mean is None or not pairs:
        return
    below, level = [pair for pair in pairs if pair.ahead], [pair for pair in pairs if not pair.behind and not pair.ahead]
    told = f"{label} {figure(noise.mean)} {interval(noise.low, noise.high)}"
    told += _against("it stands surely above", below) + _against("it is not told apart from", level)
    state = NOT_AS_EXPECTED if below else OPEN if level else AS_EXPECTED
    must = f"unrelated text of the same length has the lowest {label}"
    yield Check("noise", must, told, state, f"{label} rewards text that has nothing to do with the person")


def _random(summary: Summary) -> Iterator[Check]:
    told = []
    for metric in (summary.metric, GAIN[summary.metric], SECOND[summary.metric]):
        pair = pair_of(summary, "vprag", "random", metric)
        if pair:
            told.append(f"{METRIC_LABEL[metric]} {pair.figures}")
    if told:
        must = "what retrieval adds to elements of one's own drawn at random: vprag less random"
        yield Check("random", must, ", ".join(told), TOLD, "")


def failed(summary: Summary) -> list[Check]:
    """The checks that show a control doing what it must not."""
    return [check for check in summary.checks if check.state == NOT_AS_EXPECTED]


def ran(summary: Summary) -> list[str]:
    """The controls that the default setting has."""
    return [method for method in summary.methods() if method in CONTROLS]
