"""A band: the limits inside which a figure must lie, why they are there, and what to do when it does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["passed", "failed", "excepted", "not judged", "reported"]


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured; NaN where it cannot be. `examples` are the worst captions, pairs or elements, `note` says what else matters."""

    value: float
    examples: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """The limits of the figure called `figure`, both inclusive, None where open.

    `reason` says why the limits are there and `remedy` what to change. With fewer people than `needs_people` the figure is not judged.
    """

    name: str
    figure: str
    low: float | None
    high: float | None
    unit: str
    reason: str
    remedy: str
    needs_people: int = 0

    @property
    def limits(self) -> str:
        """The limits in words; "no band" if both are open."""
        return limits_text(self.low, self.high)

    def holds(self, value: float) -> bool:
        """Whether `value` lies inside."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True)
class Allowance:
    """Other limits for people of one source, with the reason why theirs cannot lie in the band."""

    band: str
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure beside its band; `why` explains every state but "passed"."""

    band: Band
    figure: Figure
    state: State
    why: str = ""


def limits_text(low: float | None, high: float | None) -> str:
    """Limits in words."""
    if low is None and high is None:
        return "no band"
    if low is None:
        return f"<= {high:,g}"
    return f">= {low:,g}" if high is None else f"{low:,g} to {high:,g}"


def judge(bands: Sequence[Band], figures: Mapping[str, Figure], people: int, exceptions: Sequence[Allowance] = ()) -> tuple[Judged, ...]:
    """Every band's verdict, in the order of `bands`; a figure outside its band passes only inside a written exception, and says so."""
    allowed = {allowance.band: allowance for allowance in exceptions}
    return tuple(_judged(band, figures[band.figure], people, allowed.get(band.name)) for band in bands)


def _judged(band: Band, figure: Figure, people: int, allowance: Allowance | None) -> Judged:
    if math.isnan(figure.value):
        return Judged(band, figure, "not judged", figure.note or "cannot be measured on these people")
    if band.low is None and band.high is None:
        return Judged(band, figure, "reported", band.reason)
    if people < band.needs_people:
        return Judged(band, figure, "not judged", f"depends on the number of people; judged from {band.needs_people:,} on")
    if band.holds(figure.value):
        return Judged(band, figure, "passed")
    if allowance is None:
        return Judged(band, figure, "failed", band.reason)
    widened = limits_text(allowance.low, allowance.high)
    inside = (allowance.low is None or figure.value >= allowance.low) and (allowance.high is None or figure.value <= allowance.high)
    return Judged(band, figure, "excepted" if inside else "failed", f"{allowance.reason} (own limit {widened})")
