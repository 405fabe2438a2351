"""The galleries that prompts were searched for their person in: how many people each holds, and what chance would find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engine.report.cases import Cases, Grid
from engine.report.data import METRICS, REID_METRICS, REID_SIZES
from engine.report.diagnostics import on_grid
from engine.report.rows import rounded


@dataclass(frozen=True, slots=True)
class GallerySize:
    """How many people a gallery holds, the right one among them, and the share of cases in which chance alone puts the right one first.

    A gallery is the same for every method; over the cases and methods that were searched for in it, sizes can differ where few people are
    alike or fewer take part than the gallery could hold.
    """

    metric: str
    budget: str
    writer: str
    backbone: str
    smallest: int
    median: float | None
    largest: int
    chance: float | None
    n: int


def gallery_sizes(cases: Cases, grid: Grid) -> Iterator[GallerySize]:
    """The size of each gallery of a setting, over the cases in which some method was searched for in it."""
    for metric in REID_METRICS:
        size = on_grid(cases, grid, REID_SIZES[metric])
        size[~np.isfinite(grid.values[:, :, METRICS.index(metric)])] = np.nan
        of_case = np.array([row[np.isfinite(row)].max() for row in size if np.isfinite(row).any()])
        of_case = of_case[of_case >= 1]
        if len(of_case):
            yield GallerySize(
                metric=metric, **asdict(grid.setting), smallest=int(of_case.min()), median=rounded(float(np.median(of_case))),
                largest=int(of_case.max()), chance=rounded(float((1 / of_case).mean())), n=len(of_case),
            )  # fmt: skip
