"""What stands beside the scores: ceilings, prompt length, retrieval, how units ended, and a few prompts to read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import InputError
from engine.report.cases import Cases, Grid
from engine.report.data import CEILING_METRICS, CEILINGS_SCHEMA, METRICS, OUTCOMES
from engine.report.rows import Ceiling, Copying, Coverage, FailureGroup, Retrieval, Sample, SamplePrompt, Words, rounded
from engine.statistics.cluster_bootstrap import ClusterBootstrap
from engine.statistics.estimates import Floats
from engine.statistics.two_way import TwoWayBootstrap

COPY = 0.9
"""Cosine from which on a prompt is said to repeat a caption."""

SAMPLES = 6
PROMPT_CHARACTERS = 1200
_REMEDY = {
    "refused": "The writer declined. Read the example; a refusal is an outcome, and a retry of the same prompt gives the same one.",
    "unparsed": "The writer replied in another form. Read the example; a firmer format instruction or a stronger writer helps.",
    "failed": "Do what the message says, then retry the units of this code.",
}


def ceilings(table: pa.Table, seed: int) -> Iterator[Ceiling]:
    """Mean leave-one-out score of people's own captions, one value per person.

    Raises:
        InputError: a column is missing.
    """
    missing = [name for name in CEILINGS_SCHEMA.names if name not in table.schema.names]
    if missing:
        raise InputError(f"the ceiling rows lack {', '.join(missing)}", field=missing[0], remedy="Build them to CEILINGS_SCHEMA.")
    table = table.sort_by([("subject", "ascending")])
    answered = np.array([outcome == "answered" for outcome in table.column("outcome").to_pylist()], dtype=np.bool_)
    values = np.stack([table.column(name).to_numpy().astype(np.float64) for name in CEILING_METRICS], axis=1)
    values[~answered | ~np.isfinite(values).any(axis=1)] = np.nan
    values[~np.isfinite(values)] = np.nan
    labels, cluster = np.unique(np.array(table.column("cluster").to_pylist(), dtype=np.str_), return_inverse=True)
    found = ClusterBootstrap(len(labels), seed).mean(cluster.astype(np.int64), values)
    for column, metric in enumerate(CEILING_METRICS):
        if found.n[column]:
            yield Ceiling(
                metric=metric,
                mean=rounded(found.mean[column]),
                low=rounded(found.low[column]),
                high=rounded(found.high[column]),
                n=int(found.n[column]),
                clusters=int(found.clusters[column]),
                missing=len(table) - int(found.n[column]),
            )


def words(cases: Cases, grid: Grid, bootstrap: TwoWayBootstrap) -> Iterator[Words]:
    """Mean prompt length of each method over its answered units, by task."""
    length = on_grid(cases, grid, "words")
    cut = on_grid(cases, grid, "truncated") == 1
    for task, chosen in grid.groups():
        found = bootstrap.mean(grid.where(chosen), length[chosen])
        for m, method in enumerate(grid.methods):
            if found.n[m]:
                yield Words(
                    method=method,
                    task=task,
                    **asdict(grid.setting),
                    mean=rounded(found.mean[m]),
                    low=rounded(found.low[m]),
                    high=rounded(found.high[m]),
                    n=int(found.n[m]),
                    truncated=int(cut[chosen, m].sum()),
                )


def retrieval(cases: Cases, grid: Grid) -> Iterator[Retrieval]:
    """Quartiles of n_eff and the share of capped units, by method and breadth of the query, for methods that retrieve."""
    n_eff, cap = on_grid(cases, grid, "n_eff"), on_grid(cases, grid, "cap_binds")
    breadth = np.array(cases.table.column("breadth").to_pylist(), dtype=object)
    of_case = breadth[grid.row.max(axis=1)]  # every row of a case carries the query's own breadth
    for m, method in enumerate(grid.methods):
        for label in sorted({*of_case.tolist()}):
            chosen = of_case == label
            spread, capped = n_eff[chosen, m], cap[chosen, m]
            spread, capped = spread[np.isfinite(spread)], capped[np.isfinite(capped)]
            if len(spread):
                lower, median, upper = np.quantile(spread, (0.25, 0.5, 0.75))
                share = rounded(float(capped.mean())) if len(capped) else None
                yield Retrieval(
                    method, str(label), grid.setting.budget, grid.setting.writer, grid.setting.backbone,
                    rounded(lower), rounded(median), rounded(upper), share, len(spread),
                )  # fmt: skip


def copying(cases: Cases, grid: Grid) -> Iterator[Copying]:
    """How near prompts come to captions, for the people who were re-identified."""
    own, other = on_grid(cases, grid, "near_own"), on_grid(cases, grid, "near_other")
    for m, method in enumerate(grid.methods):
        near = [column[np.isfinite(column[:, m]), m] for column in (own, other)]
        if len(near[0]) and len(near[1]):
            figures = [(rounded(float(np.median(found))), rounded(float((found >= COPY).mean()))) for found in near]
            yield Copying(method, grid.setting.budget, grid.setting.writer, grid.setting.backbone, *figures[0], *figures[1], len(near[0]))


def coverage(grid: Grid) -> Iterator[Coverage]:
    """How the units of each method ended, by task."""
    for task, chosen in grid.groups():
        for m, method in enumerate(grid.methods):
            ended = grid.outcome[chosen, m]
            if (ended >= 0).any():
                answered, refused, unparsed, failed = (int((ended == index).sum()) for index in range(len(OUTCOMES)))
                absent = int((ended < 0).sum())
                where = asdict(grid.setting)
                yield Coverage(
                    method=method,
                    task=task,
                    **where,
                    answered=answered,
                    refused=refused,
                    unparsed=unparsed,
                    failed=failed,
                    absent=absent,
                )


def failures(table: pa.Table) -> list[FailureGroup]:
    """Units without an answer, grouped by outcome and code, the largest group first; `table` is sorted by key."""
    ended = (
        table.filter(pc.not_equal(table.column("outcome"), "answered"))
        .select(["outcome", "code", "method", "writer", "message"])
        .to_pylist()
    )
    groups: dict[tuple[str, str], list[dict[str, str | None]]] = {}
    for row in ended:
        groups.setdefault((row["outcome"], row["code"] or "(no code)"), []).append(row)
    found = [
        FailureGroup(
            outcome=outcome,
            code=code,
            count=len(rows),
            methods=tuple(sorted({row["method"] or "" for row in rows})),
            writers=tuple(sorted({row["writer"] or "" for row in rows})),
            message=next((row["message"][:PROMPT_CHARACTERS] for row in rows if row["message"]), ""),
            remedy=_REMEDY[outcome],
        )
        for (outcome, code), rows in groups.items()
    ]
    return sorted(found, key=lambda group: (-group.count, group.outcome, group.code))


def samples(cases: Cases, grid: Grid, metric: str, seed: int) -> list[Sample]:
    """A seeded handful of people, one case each, with every method's prompt side by side."""
    subject = cases.table.column("subject")
    of_case: dict[str, list[int]] = {}
    first_row = grid.row.max(axis=1)
    for case, row in enumerate(first_row.tolist()):
        of_case.setdefault(subject[row].as_py(), []).append(case)
    draw = random.Random(seed)
    people = sorted(draw.sample(sorted(of_case), min(SAMPLES, len(of_case))))
    return [_sample(cases, grid, draw.choice(of_case[person]), metric) for person in people]


def _sample(cases: Cases, grid: Grid, case: int, metric: str) -> Sample:
    names = ("person", "query", "task", "outcome", "code", "prompt", "words")
    prompts = []
    shown: dict[str, str] = {}
    for m, method in enumerate(grid.methods):
        index = int(grid.row[case, m])
        if index < 0:
            prompts.append(SamplePrompt(method, None, "no row", None, None))
            continue
        row = {name: cases.table.column(name)[index].as_py() for name in names}
        shown = row
        answered = row["outcome"] == "answered"
        note = "" if answered else ": ".join(part for part in (row["outcome"], row["code"]) if part)
        text = row["prompt"]
        if text is not None and len(text) > PROMPT_CHARACTERS:
            text = text[:PROMPT_CHARACTERS] + " […]"
        score = rounded(grid.values[case, m, METRICS.index(metric)])
        prompts.append(SamplePrompt(method, text if answered else None, note, row["words"] if answered else None, score))
    return Sample(shown["person"], shown["query"], shown["task"], tuple(prompts))


def on_grid(cases: Cases, grid: Grid, name: str) -> Floats:
    """A column of the table on the grid, as float64; NaN where null, absent or not answered."""
    column = cases.table.column(name)
    values = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
    flat = np.append(values.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64), np.nan)
    placed = flat[grid.row]  # row -1, absent, reads the NaN at the end
    placed[grid.outcome != OUTCOMES.index("answered")] = np.nan
    return placed
