"""How each writer wrote: how its units ended, what the budget cut, what its replies took and which model they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow.compute as pc

from engine.report.cases import Cases, Grid
from engine.report.data import OUTCOMES
from engine.report.diagnostics import on_grid

CUT_OFF = "length"
"""How a reply ends that the limit of tokens cut."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How one method's prompts came about in one setting.

    `written`: by the setting's writer, unlike own captions, noise and anyone's own prompts. Of the `answered` prompts `cut` lost what went
    over the budget, or the unfinished clause of a reply; `counted` have the tokens of their call, totals in `input_tokens` and
    `output_tokens`; `cut_off` counts replies that the limit of tokens ended. `models` are the names that replies give the model.
    """

    method: str
    budget: str
    writer: str
    backbone: str
    extractive: bool
    written: bool
    units: int
    answered: int
    refused: int
    unparsed: int
    failed: int
    cut: int
    cut_off: int
    counted: int
    input_tokens: int
    output_tokens: int
    models: tuple[str, ...]


def writings(cases: Cases, grid: Grid) -> Iterator[Writing]:
    """One row a method or control, in the order of the grid."""
    numbers = {name: on_grid(cases, grid, name) for name in ("cut", "input_tokens", "output_tokens")}
    written = cases.table.column("written").to_numpy(zero_copy_only=False).astype(np.bool_)
    for m, method in enumerate(grid.methods):
        rows = grid.row[:, m]
        rows = rows[rows >= 0]
        if not len(rows):
            continue
        ended = dict(zip(OUTCOMES, np.bincount(grid.outcome[grid.row[:, m] >= 0, m], minlength=len(OUTCOMES)).tolist(), strict=True))
        finish, models = (cases.table.column(name).take(rows) for name in ("finish", "model"))
        yield Writing(
            method=method,
            **asdict(grid.setting),
            extractive=bool(grid.extractive[m]),
            written=bool(written[rows].any()),
            units=len(rows),
            **ended,
            cut=int((numbers["cut"][:, m] > 0).sum()),
            cut_off=pc.sum(pc.equal(finish, CUT_OFF)).as_py() or 0,
            counted=int(np.isfinite(numbers["input_tokens"][:, m]).sum()),
            input_tokens=int(np.nansum(numbers["input_tokens"][:, m])),
            output_tokens=int(np.nansum(numbers["output_tokens"][:, m])),
            models=tuple(sorted(pc.unique(models).drop_null().to_pylist())),
        )
