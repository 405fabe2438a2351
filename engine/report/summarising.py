"""From rows to a summary: a pure function of the facts and the rows, whatever order they come in.

No time, host, path, cost or retry count enters it, so an undisturbed run and one that was killed and resumed give equal bytes
(STORAGE, byte-identity).
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from engine.errors import ConfigError
from engine.keys import seed_of
from engine.report import caveats, common_cases, comparison, controls, diagnostics, galleries, orders, personal, prompt_length, verdict
from engine.report.cases import POOLED, Cases, Grid, cases_of
from engine.report.data import OUTCOMES, RunFacts
from engine.report.scale import scale
from engine.report.slices import slices
from engine.report.summary import Summary, setting_of
from engine.report.writer_orders import writer_agreement
from engine.report.writing import writings
from engine.statistics.two_way import TwoWayBootstrap


def summarise(facts: RunFacts, scores: pa.Table, ceilings: pa.Table) -> Summary:
    """The summary of a run.

    Raises:
        InputError: the rows do not fit their schemas, or one unit has two rows.
        ConfigError: the run's own metric is neither "v" nor "v_c".
    """
    if facts.metric not in comparison.COMPARED:
        raise ConfigError(f"no report is made about the metric {facts.metric!r}.", remedy="A preset scores with v (q3) or v_c (q1, q2).")
    compared, ordering = comparison.COMPARED[facts.metric], comparison.ORDERING[facts.metric]
    with_controls = (*compared, *controls.COMPARED)
    cases = _in_order(cases_of(scores), facts)
    bootstrap = TwoWayBootstrap(cases.clusters, cases.task_of_family, seed_of(facts.run, "report", "bootstrap"))
    default = _default_grid(cases, facts)
    results = tuple(row for grid in cases.grids for row in comparison.results(grid, bootstrap))
    setting = default.setting if default else None
    summary = Summary(
        run=facts.run,
        name=facts.name,
        complete=facts.complete,
        partial=facts.partial,
        planned_people=facts.planned_people,
        total_people=facts.total_people,
        units=facts.units,
        rows=len(cases.table),
        failed=sum(int((grid.outcome == OUTCOMES.index("failed")).sum()) for grid in cases.grids),
        metric=facts.metric,
        setting=setting,
        extractive=tuple(method for m, method in enumerate(default.methods) if default.extractive[m]) if default else (),
        results=results,
        differences=tuple(row for grid in cases.grids for row in comparison.differences(grid, bootstrap, with_controls)),
        gains=tuple(row for grid in cases.grids for row in personal.gains(grid, bootstrap, facts.metric)),
        personal_shares=tuple(row for grid in cases.grids for row in personal.personal_shares(grid, bootstrap, facts.metric)),
        stranger_agreement=tuple(row for grid in cases.grids for row in personal.stranger_agreement(grid, bootstrap, facts.metric)),
        galleries=tuple(row for grid in cases.grids for row in galleries.gallery_sizes(cases, grid)),
        checks=(),
        slices=(),
        win_share=tuple(row for grid in cases.grids for row in comparison.wins(grid, cases.task_of_family)),
        cohens_d=tuple(row for grid in cases.grids for row in comparison.effects(grid, bootstrap.people, ordering)),
        disagreements=tuple(comparison.disagreements([row for row in results if setting_of(row) == setting], ordering)),
        order_agreement=tuple(row for grid in cases.grids for row in orders.agreements(grid, bootstrap.people, facts.metric)),
        length_matched=tuple(row for grid in cases.grids for row in prompt_length.matched(cases, grid, bootstrap, ordering[0])),
        bounds=tuple(row for grid in cases.grids for row in common_cases.bounds(grid)),
        ceilings=tuple(diagnostics.ceilings(ceilings, seed_of(facts.run, "report", "ceilings"))),
        words=tuple(row for grid in cases.grids for row in diagnostics.words(cases, grid, bootstrap)),
        retrieval=tuple(row for grid in cases.grids for row in diagnostics.retrieval(cases, grid)),
        copying=tuple(row for grid in cases.grids for row in diagnostics.copying(cases, grid)),
        outcomes=tuple(row for grid in cases.grids for row in diagnostics.coverage(grid)),
        writing=tuple(row for grid in cases.grids for row in writings(cases, grid)),
        scale=(),
        writer_agreement=tuple(writer_agreement(cases, cases.grids, bootstrap.people, facts.metric)),
        failures=tuple(diagnostics.failures(cases.table)),
        samples=tuple(diagnostics.samples(cases, default, facts.metric, seed_of(facts.run, "report", "samples"))) if default else (),
        warnings=(),
        verdict=(),
    )
    cells = scale(
        summary.outcomes, results, summary.cohens_d, summary.writing, metric=facts.metric, stand_ins=facts.stand_ins
    )  # fmt: skip
    summary = replace(summary, scale=tuple(cells))
    best = summary.ranked(POOLED)[:2]
    if default and len(best) == 2:
        summary = replace(summary, slices=tuple(slices(cases, default, bootstrap, facts.metric, (best[0], best[1]))))
    summary = replace(summary, checks=tuple(controls.checks(summary)))
    summary = replace(summary, warnings=tuple(caveats.warnings(summary, facts, cases.non_finite)))
    return replace(summary, verdict=tuple(verdict.verdict(summary, facts)))


def _in_order(cases: Cases, facts: RunFacts) -> Cases:
    """The settings in the order in which the run names its writers."""
    place = {writer: index for index, writer in enumerate(facts.writers)}
    grids = sorted(cases.grids, key=lambda grid: place.get(grid.setting.writer, len(place)))
    return replace(cases, grids=tuple(grids))


def _default_grid(cases: Cases, facts: RunFacts) -> Grid | None:
    """The setting that the verdict is about; of several backbones the first by name."""
    return next((grid for grid in cases.grids if (grid.setting.writer, grid.setting.budget) == (facts.writer, facts.budget)), None)
