"""Charts as SVG text, drawn without a plotting library and without script.

Colours are classes (`m0` ... `m7`) whose values the page's style sheet sets for light and dark; each method also has its own shape and
is named beside its mark, so nothing is told by colour alone. Every chart is one `role="img"` with its figures in `aria-label`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from engine.report.axis import Axis
from engine.report.wording import figure, interval

WIDTH = 360
_GUTTER = 92.0
_WIDEST_GUTTER = 150.0
_LETTER = 7.2
_TICK_LETTER = 6.4
_RIGHT = 52
_ROW = 27
_TOP = 20
_FOOT = 40
SHAPES = ("circle", "square", "triangle", "diamond", "wedge", "cross", "bar", "ring")


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of a chart: an estimate with its interval. `kind` picks colour and shape; a hollow mark is one left out of the verdict."""

    label: str
    value: float
    low: float | None
    high: float | None
    kind: int = 0
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A reference value drawn through a chart, such as a ceiling or chance."""

    label: str
    value: float


def dots(title: str, marks: Sequence[Mark], axis: Axis, *, line: Line | None = None, digits: int = 3, stamp: str = "") -> Markup:
    """A dot with its interval for each mark, in the given order, on a shared horizontal axis."""
    height = _TOP + _ROW * len(marks) + _FOOT
    gutter = _gutter(marks)
    plot = (gutter, WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(marks) + 4
    parts = [_grid(axis, plot, bottom)]
    if line and axis.low <= line.value <= axis.high:
        x = axis.place(line.value, plot)
        anchor = "end" if x > (plot[0] + plot[1]) / 2 else "start"
        parts.append(Markup('<line class="ref" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(_n(x), _TOP - 4, bottom))
        parts.append(Markup('<text class="reftext" x="{}" y="{}" text-anchor="{}">{}</text>').format(_n(x), _TOP - 8, anchor, line.label))
    for index, mark in enumerate(marks):
        y = _TOP + _ROW * index + _ROW / 2
        parts.append(_text("label", gutter - 10, y + 4, _fitting(mark.label), "end"))
        if mark.low is not None and mark.high is not None:
            left, right = axis.place(mark.low, plot), axis.place(mark.high, plot)
            parts.append(Markup('<path class="ci m{}" d="M{} {}H{}"/>').format(mark.kind % 8, _n(left), _n(y), _n(right)))
        parts.append(shape(axis.place(mark.value, plot), y, mark.kind, mark.hollow))
        parts.append(_text("value", WIDTH - 4, y + 4, figure(mark.value, digits), "end"))
    return _svg(title, marks, parts, height, axis.label, line, stamp, digits)


def bars(title: str, marks: Sequence[Mark], axis: Axis, *, line: Line | None = None, digits: int = 1, stamp: str = "") -> Markup:
    """A horizontal bar from zero for each mark, with its interval as a whisker."""
    height = _TOP + _ROW * len(marks) + _FOOT
    gutter = _gutter(marks)
    plot = (gutter, WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(marks) + 4
    parts = [_grid(axis, plot, bottom)]
    start = axis.place(max(axis.low, 0.0), plot)
    for index, mark in enumerate(marks):
        y = _TOP + _ROW * index + _ROW / 2
        end = axis.place(mark.value, plot)
        hollow = " hollow" if mark.hollow else ""
        box = (mark.kind % 8, hollow, _n(min(start, end)), _n(y - 8), _n(max(abs(end - start), 0.5)))
        parts.append(Markup('<rect class="bar m{}{}" x="{}" y="{}" width="{}" height="16" rx="2"/>').format(*box))
        if mark.low is not None and mark.high is not None:
            left, right = axis.place(mark.low, plot), axis.place(mark.high, plot)
            parts.append(
                Markup('<path class="whisker" d="M{0} {1}H{2}M{0} {3}v8M{2} {3}v8"/>').format(_n(left), _n(y), _n(right), _n(y - 4))
            )
        parts.append(_text("label", gutter - 10, y + 4, _fitting(mark.label), "end"))
        parts.append(_text("value", WIDTH - 4, y + 4, figure(mark.value, digits), "end"))
    if line:
        x = axis.place(line.value, plot)
        anchor = "end" if x > (plot[0] + plot[1]) / 2 else "start"
        parts.append(Markup('<line class="ref" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(_n(x), _TOP - 4, bottom))
        parts.append(_text("reftext", x, _TOP - 8, line.label, anchor))
    return _svg(title, marks, parts, height, axis.label, line, stamp, digits)


@dataclass(frozen=True, slots=True)
class Point:
    """A method's place in a scatter, with intervals on both axes and some of its units behind it."""

    label: str
    x: float
    y: float
    x_interval: tuple[float, float] | None
    y_interval: tuple[float, float] | None
    cloud: tuple[tuple[float, float], ...]
    kind: int = 0
    hollow: bool = False


def scatter(title: str, points: Sequence[Point], across: Axis, up: Axis, *, stamp: str = "") -> Markup:
    """Means with intervals on two axes, over a faint cloud of single units."""
    height, left, right, top, bottom = 300, 46, WIDTH - 12, 26, 252
    parts = [_grid(across, (left, right), bottom, top)]
    for tick in up.ticks():
        y = up.place(tick, (bottom, top))
        parts.append(Markup('<line class="grid" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>').format(left, right, _n(y)))
        parts.append(_text("tick", left - 6, y + 4, up.text(tick), "end"))
    parts.append(_text("unit", 4, 14, up.label, "start"))
    for point in points:
        for x, y in point.cloud:
            if across.low <= x <= across.high and up.low <= y <= up.high:
                place = (point.kind % 8, _n(across.place(x, (left, right))), _n(up.place(y, (bottom, top))))
                parts.append(Markup('<circle class="cloud m{}" cx="{}" cy="{}" r="1.8"/>').format(*place))
    for point in points:
        x, y = across.place(point.x, (left, right)), up.place(point.y, (bottom, top))
        if point.x_interval:
            ends = [_n(across.place(value, (left, right))) for value in point.x_interval]
            parts.append(Markup('<path class="ci m{}" d="M{} {}H{}"/>').format(point.kind % 8, ends[0], _n(y), ends[1]))
        if point.y_interval:
            ends = [_n(up.place(value, (bottom, top))) for value in point.y_interval]
            parts.append(Markup('<path class="ci m{}" d="M{} {}V{}"/>').format(point.kind % 8, _n(x), ends[0], ends[1]))
        parts.append(shape(x, y, point.kind, point.hollow))
    parts.extend(_names(points, across, up, (left, right), (bottom, top)))
    told = "; ".join(f"{point.label}: {figure(point.x, 1)} words, {figure(point.y)}" for point in points)
    return _frame(f"{title}. {across.label} against {up.label}. {told}.", parts, height, across.label, stamp)


def _names(points: Sequence[Point], across: Axis, up: Axis, xs: tuple[float, float], ys: tuple[float, float]) -> list[Markup]:
    """A label beside each point, on the side with room, moved down where it would cover another label."""
    names, taken = [], list[tuple[float, float, float]]()
    for point in sorted(points, key=lambda point: -point.y):
        x, y = across.place(point.x, xs), up.place(point.y, ys)
        name = _fitting(point.label)
        width = _LETTER * len(name)
        end = x > (xs[0] + xs[1]) / 2
        left, right = (x - 9 - width, x - 9) if end else (x + 9, x + 9 + width)
        at = y - 9
        while any(abs(at - other) < 13 and left < other_right and other_left < right for other_left, other_right, other in taken):
            at += 4
        taken.append((left, right, at))
        names.append(_text("label halo", right if end else left, at, name, "end" if end else "start"))
    return names


def _gutter(marks: Sequence[Mark]) -> float:
    """Room for the longest label, within reason."""
    return min(max([_GUTTER, *(_LETTER * len(mark.label) + 16 for mark in marks)]), _WIDEST_GUTTER)


def _fitting(label: str) -> str:
    most = int((_WIDEST_GUTTER - 16) / _LETTER)
    return label if len(label) <= most else label[: most - 1] + "\u2026"


def shape(x: float, y: float, kind: int, hollow: bool = False) -> Markup:
    """The mark of a method: its shape and colour class; hollow when it is left out of the verdict."""
    name = SHAPES[kind % len(SHAPES)]
    r = 5.0
    paths = {
        "circle": f"M{_n(x - r)} {_n(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        "ring": f"M{_n(x - r)} {_n(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0zM{_n(x - 2)} {_n(y)}a2 2 0 1 1 4 0a2 2 0 1 1 -4 0z",
        "square": f"M{_n(x - 4.6)} {_n(y - 4.6)}h9.2v9.2h-9.2z",
        "triangle": f"M{_n(x)} {_n(y - 6)}l5.6 10h-11.2z",
        "diamond": f"M{_n(x)} {_n(y - 6.4)}l6.4 6.4l-6.4 6.4l-6.4 -6.4z",
        "wedge": f"M{_n(x)} {_n(y + 6)}l5.6 -10h-11.2z",
        "cross": f"M{_n(x - 2)} {_n(y - 6)}h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
        "bar": f"M{_n(x - 2.4)} {_n(y - 7)}h4.8v14h-4.8z",
    }
    return Markup('<path class="dot m{}{}" d="{}"/>').format(kind % 8, " hollow" if hollow else "", paths[name])


def _grid(axis: Axis, plot: tuple[float, float], bottom: float, top: float = _TOP - 4) -> Markup:
    parts, written = [], -math.inf
    for tick in axis.ticks():
        x, text = axis.place(tick, plot), axis.text(tick)
        parts.append(Markup('<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(_n(x), _n(top), _n(bottom)))
        half = _TICK_LETTER * len(text) / 2
        if x - half > written:  # where the numbers are long, every other tick has one
            parts.append(_text("tick", x, bottom + 14, text, "middle"))
            written = x + half
    return Markup("").join(parts)


def _text(kind: str, x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(kind, _n(x), _n(y), anchor, text)


def _svg(
    title: str, marks: Sequence[Mark], parts: list[Markup], height: float, unit: str, line: Line | None, stamp: str, digits: int
) -> Markup:
    told = "; ".join(
        f"{mark.label} {figure(mark.value, digits)}" + (f" {interval(mark.low, mark.high, digits)}" if mark.low is not None else "")
        for mark in marks
    )
    reference = f" {line.label}: {figure(line.value, digits)}." if line else ""
    return _frame(f"{title}. {unit}. {told}.{reference}", parts, height, unit, stamp)


def _frame(told: str, parts: list[Markup], height: float, unit: str, stamp: str) -> Markup:
    if stamp:
        parts = [*parts, _text("stamp", 4, height - 6, stamp, "start")]
    foot = _text("unit", WIDTH - 4, height - 6, unit, "end")
    return Markup('<svg role="img" aria-label="{}" viewBox="0 0 {} {}" preserveAspectRatio="xMinYMin meet">{}{}</svg>').format(
        escape(told), WIDTH, _n(height), Markup("").join(parts), foot
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
