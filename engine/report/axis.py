"""The axis of a chart: its range, its ticks and its label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

TICKS = (4, 6)


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
        if not math.isclose(self.step * 10**digits, round(self.step * 10**digits), rel_tol=1e-6):
            digits += 1  # a step such as 2.5 or 0.25
        return f"{tick:.{digits}f}".replace("-", "\u2212")


def axis_over(values: Iterable[float | None], label: str, *, from_zero: bool = False) -> Axis:
    """The shortest axis from tick to tick that holds `values`, with four to six round ticks."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if from_zero:
        known.append(0.0)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9:
        room = max(abs(high) * 0.1, 0.05)
        low, high = low - room, high + room
    power = 10.0 ** (math.floor(math.log10(high - low)) - 1)
    steps = [factor * power for factor in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    first, last, step = min((_enclosed(low, high, step) for step in steps), key=_preference)
    return Axis(first * step, last * step, step, label)


def _enclosed(low: float, high: float, step: float) -> tuple[int, int, float]:
    """The multiples of `step` at or just outside both ends."""
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9), step


def _preference(candidate: tuple[int, int, float]) -> tuple[int, float, float]:
    """Four to six ticks before any other number, then a short axis, then a wide step."""
    first, last, step = candidate
    ticks = last - first + 1
    return max(TICKS[0] - ticks, ticks - TICKS[1], 0), (last - first) * step, -step
