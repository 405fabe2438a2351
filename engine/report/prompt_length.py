"""Whether longer prompts score higher, which a reader must know before a score is read as knowledge of a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations, pairwise

from engine.report.cases import POOLED, Cases, Grid
from engine.report.data import CONTROLS, METRICS
from engine.report.diagnostics import on_grid
from engine.report.rows import LengthMatched, rounded
from engine.report.summary import Summary
from engine.report.wording import METRIC_LABEL, figure
from engine.statistics.length_matching import matched_differences
from engine.statistics.two_way import TwoWayBootstrap


def matched(cases: Cases, grid: Grid, bootstrap: TwoWayBootstrap, metric: str) -> Iterator[LengthMatched]:
    """Every two methods and controls compared at equal prompt length, the later one of the list first, by task."""
    words = on_grid(cases, grid, "words")
    scores = grid.values[:, :, METRICS.index(metric)]
    pairs = [(b, a) for a, b in combinations(range(len(grid.methods)), 2)]
    for task, chosen in grid.groups():
        every = matched_differences(bootstrap, grid.where(chosen), grid.task[chosen], scores[chosen], words[chosen], pairs)
        for (b, a), found in zip(pairs, every, strict=True):
            yield LengthMatched(
                method=grid.methods[b],
                other=grid.methods[a],
                task=task,
                **asdict(grid.setting),
                metric=metric,
                difference=rounded(found.difference),
                low=rounded(found.low),
                high=rounded(found.high),
                share=rounded(found.share_one),
                other_share=rounded(found.share_two),
                n=found.n_one,
                other_n=found.n_two,
            )


def longer_scores_higher(summary: Summary) -> Iterator[str]:
    """That longer prompts score higher, where mean words order three methods or more as the score does."""
    words = {row.method: row.mean for row in summary.of_setting(summary.words, task=POOLED) if row.mean is not None}
    label = METRIC_LABEL[summary.metric]
    for among, methods in (("", summary.methods()), (" among the judged methods", summary.judged())):
        rising = [method for method in _order(summary, methods, summary.metric) if method in words]
        lengths = [words[method] for method in rising]
        if len(rising) >= 3 and all(shorter < longer for shorter, longer in pairwise(lengths)):
            told = ", ".join(f"{method} {figure(words[method], 0)}" for method in rising)
            yield (
                f"Mean words rise with {label}{among}: {told}. A longer prompt spans more of the captions' space, so length may explain a "
                f"part of this order.{_without_novelty(summary, rising)}"
            )
            return


def _without_novelty(summary: Summary, rising: list[str]) -> str:
    order = _order(summary, rising, "v_c")
    if summary.metric != "v" or len(order) < len(rising):
        return ""
    told = "alike" if order == rising else f"otherwise: {', '.join(order)}"
    return f" V-c, which leaves novelty out, orders these methods {told}."


def _order(summary: Summary, methods: list[str], metric: str) -> list[str]:
    """The methods that compete and have a mean, the lowest first."""
    rows = summary.of_setting(summary.results, task=POOLED, metric=metric)
    means = {row.method: row.mean for row in rows if row.mean is not None and row.method not in CONTROLS}
    return sorted((method for method in methods if method in means), key=lambda method: means[method])
