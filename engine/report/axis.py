"""The axis of a chart: its range, its ticks and its label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from `low` to `high` with a tick every `step`; `label` says what is measured and which way is better."""

    low: float
    high: float
    step: float
    label: str

    def place(self, value: float, ends: tuple[float, float]) -> float:
        """Where `value` lies between two ends in drawing units; a value outside the axis lies on its end."""
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return ends[0] + part * (ends[1] - ends[0])

    def ticks(self) -> list[float]:
        """The multiples of `step` on the axis."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [index * self.step for index in range(first, last + 1)]

    def text(self, tick: float) -> str:
        """A tick's label with as many decimals as the step needs."""
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return f"{tick:.{digits}f}".replace("-", "\u2212")


def axis_over(values: Iterable[float | None], label: str, *, from_zero: bool = False) -> Axis:
    """An axis that holds `values` with a little room and round ticks, some four of them."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if from_zero:
        known.append(0.0)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9:
        room = max(abs(high) * 0.1, 0.05)
        low, high = low - room, high + room
    room = 0.06 * (high - low)
    low, high = (low if from_zero and low == 0 else low - room), high + room
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    return Axis(low, high, step, label)
