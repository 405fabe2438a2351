"""Summaries made by hand, one trait at a time: figures are given, and intervals are as wide as a test wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

from engine.report.controls import checks
from engine.report.data import CONTROLS, Setting
from engine.report.galleries import GallerySize
from engine.report.personal import GAIN, Gain, PersonalShare, StrangerAgreement
from engine.report.rows import Bound, Coverage, Difference, Disagreement, LengthMatched, OrderAgreement, Result
from engine.report.summary import Summary

SETTING = Setting("llm", "smollm2", "q3")
WHERE: dict[str, Any] = {"task": "all", "budget": "q3", "writer": "llm", "backbone": "smollm2"}
ANSWERED = {"answered": 200, "refused": 0, "unparsed": 0, "failed": 0, "absent": 0}
ALWAYS = {"n": 200, "clusters": 50, "families": 20}

V = {"baseline": 0.40, "persona": 0.50, "vprag": 0.60}
GAINS = {"baseline": 0.0, "persona": 0.06, "vprag": 0.12}
CONTROL_V = {"stranger": 0.48, "random": 0.55, "own": 0.58, "noise": 0.30}
CONTROL_GAINS = {"stranger": 0.0, "random": 0.08, "own": 0.12, "noise": 0.0}
GS = {"baseline": 0.40, "persona": 0.50, "vprag": 0.60, "stranger": 0.5, "random": 0.55, "own": 0.75, "noise": 0.35}


def lead_that_survives() -> dict[str, dict[str, float]]:
    """Means by metric of a run in which every other score tells the same as V, with all controls."""
    whole = V | CONTROL_V
    means = {metric: dict(whole) for metric in ("v", "v_u", "v_literal", "v_mean_caption", "cross_v", "second_v")}
    return means | {"gain": GAINS | CONTROL_GAINS, "second_gain": GAINS | CONTROL_GAINS, "gs": dict(GS)}


def hand_made(
    means: Mapping[str, Mapping[str, float]],
    *,
    half: float = 0.01,
    without_interval: tuple[str, ...] = (),
    extractive: tuple[str, ...] = (),
    at_equal_length: Mapping[tuple[str, str], float] | None = None,
    found: float | None = 0.001,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    clusters: int = 50,
    of_strangers: float = 0.48,
    **changes: Any,
) -> Summary:
    """A summary over "all" tasks with these means by metric and method.

    Args:
        half: half the width of every interval; a difference beyond it is sure.
        without_interval: metrics without one.
        extractive: methods that paste.
        at_equal_length: differences at equal length by pair.
        found: how often the stranger's prompt finds the right person among 1,000; None: not measured.
        bounds: worst-case bounds by method.
        clusters: of people.
        of_strangers: what vprag's prompts score against strangers.
    """

    def tested(metric: str, mean: float) -> dict[str, Any]:
        low, high = (None, None) if metric in without_interval else (mean - half, mean + half)
        p = None if low is None or high is None else 0.001 if low > 0 or high < 0 else 0.6
        figures = {"mean": mean, "low": low, "high": high, "family_low": low, "family_high": high, "p": p, "holm": p}
        return {"metric": metric, **figures, **WHERE, **ALWAYS, "clusters": clusters}

    def plain(method: str, metric: str, mean: float) -> Result:
        row = {name: value for name, value in tested(metric, mean).items() if name not in ("family_low", "family_high", "p", "holm")}
        return Result(method=method, missing=0, cases=200, **row)

    results = [plain(method, metric, mean) for metric, by_method in means.items() for method, mean in by_method.items()]
    if found is not None:
        results.append(replace(plain("stranger", "reid_1000", found), low=found / 2, high=found * 2))
    differences = [
        Difference(method=two, other=one, **tested(metric, by_method[two] - by_method[one]))
        for metric, by_method in means.items()
        for one, two in combinations(by_method, 2)
    ]
    gains = [
        Gain(method=method, **tested(metric, mean))
        for metric in ("gain", "gain_c", "second_gain")
        for method, mean in means.get(metric, {}).items()
    ]
    own = str(changes.pop("metric", "v"))
    known: dict[str, Any] = {field.name: () for field in fields(Summary)} | {
        "run": "0f3c", "name": "hand", "complete": True, "partial": False, "planned_people": 50, "total_people": 50, "units": 600,
        "rows": 600, "failed": 0, "metric": own, "setting": SETTING, "extractive": extractive, "results": tuple(results),
        "differences": tuple(differences), "gains": tuple(gains), "personal_shares": tuple(_shares(means, own, half, clusters)),
        "disagreements": tuple(_disagreements(means, own)), "order_agreement": tuple(_agreement(means, own)),
        "length_matched": tuple(_matched(at_equal_length or {}, half)),
        "galleries": (GallerySize("reid_1000", "q3", "llm", "smollm2", 1000, 1000.0, 1000, 0.001, 200),),
        "outcomes": tuple(Coverage(method=method, **WHERE, **ANSWERED) for method in means.get(own, {})),
        "bounds": tuple(
            Bound(method=method, metric=own, low=low, high=high, missing=8, cases=200, **WHERE)
            for method, (low, high) in (bounds or {}).items()
        ),
        "stranger_agreement": tuple(_agreeing(means, own, of_strangers)),
    }  # fmt: skip
    summary = Summary(**(known | changes))
    return replace(summary, checks=tuple(checks(summary)))


def _shares(means: Mapping[str, Mapping[str, float]], own: str, half: float, clusters: int) -> list[PersonalShare]:
    score, gain = means.get(own, {}), means.get(GAIN[own], {})
    found = []
    for method in gain:
        lead = score.get(method, 0.0) - score.get("baseline", 1.0)
        if lead > 0 and method not in CONTROLS:
            share = (gain[method] - gain.get("baseline", 0.0)) / lead
            found.append(
                PersonalShare(
                    method=method, other="baseline", metric=own, gain_metric=GAIN[own], lead=lead, share=share, low=share - half,
                    high=share + half, n=200, clusters=clusters, **WHERE,
                )
            )  # fmt: skip
    return found


def _disagreements(means: Mapping[str, Mapping[str, float]], own: str) -> list[Disagreement]:
    found = []
    for metric in ("v_u", "v_literal", "v_mean_caption", "v_c_literal", "v_c_mean_caption"):
        for one, two in combinations(means.get(metric, {}), 2):
            lead, other = means[own][one] - means[own][two], means[metric][one] - means[metric][two]
            if lead * other < 0:
                found.append(Disagreement("all", own, metric, *((one, two) if lead > 0 else (two, one))))
    return found


def _agreement(means: Mapping[str, Mapping[str, float]], own: str) -> list[OrderAgreement]:
    second = "second_v" if own == "v" else "second_v_c"
    if second not in means:
        return []
    methods = [method for method in means[second] if method not in CONTROLS]
    pairs = list(combinations(methods, 2))
    turned = sum((means[own][one] - means[own][two]) * (means[second][one] - means[second][two]) < 0 for one, two in pairs)
    tau = 1 - 2 * turned / max(1, len(pairs))
    return [
        OrderAgreement(
            metric=own,
            other_metric=second,
            tau=tau,
            low=tau,
            high=tau,
            methods=len(methods),
            reversed_pairs=turned,
            n=200,
            clusters=50,
            **WHERE,
        )
    ]


def _matched(differences: Mapping[tuple[str, str], float], half: float) -> list[LengthMatched]:
    return [
        LengthMatched(
            method=one, other=two, metric="v", difference=mean, low=mean - half, high=mean + half, share=0.8, other_share=0.9, n=160,
            other_n=180, **WHERE,
        )
        for (one, two), mean in differences.items()
    ]  # fmt: skip


def _agreeing(means: Mapping[str, Mapping[str, float]], own: str, of_strangers: float) -> list[StrangerAgreement]:
    control = means.get(own, {}).get("stranger")
    if control is None:
        return []
    apart = control - of_strangers
    return [
        StrangerAgreement(
            "stranger",
            "vprag",
            metric=own,
            of_control=control,
            of_strangers=of_strangers,
            difference=apart,
            low=apart - 0.005,
            high=apart + 0.005,
            n=200,
            clusters=50,
            **WHERE,
        )
    ]
