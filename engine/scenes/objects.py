"""The objects of scenes, each a silhouette in a unit box with a main colour and its shade."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.scenes.canvas import Canvas, Fill


def _cat(c: Canvas, main: Fill, shade: Fill) -> None:
    c.line([(0.74, 0.92), (0.92, 0.80), (0.90, 0.55), (0.97, 0.42)], main, 0.09)
    c.ellipse(0.22, 0.42, 0.80, 1.0, main)
    c.ellipse(0.18, 0.10, 0.68, 0.54, main)
    c.polygon([(0.19, 0.30), (0.20, 0.0), (0.42, 0.15)], main)
    c.polygon([(0.67, 0.30), (0.66, 0.0), (0.44, 0.15)], main)
    for x in (0.32, 0.54):
        c.ellipse(x - 0.045, 0.26, x + 0.045, 0.36, shade)
    c.line([(0.36, 0.98), (0.36, 0.75)], shade, 0.04)
    c.line([(0.52, 0.98), (0.52, 0.75)], shade, 0.04)


def _bird(c: Canvas, main: Fill, shade: Fill) -> None:
    c.polygon([(0.0, 0.42), (0.10, 0.28), (0.42, 0.52), (0.30, 0.68)], main)
    c.ellipse(0.22, 0.34, 0.82, 0.78, main)
    c.ellipse(0.60, 0.16, 0.90, 0.46, main)
    c.polygon([(0.87, 0.26), (1.0, 0.33), (0.87, 0.38)], main)
    c.polygon([(0.30, 0.46), (0.62, 0.44), (0.42, 0.72)], shade)
    c.line([(0.48, 0.76), (0.48, 0.98), (0.60, 0.98)], main, 0.045)
    c.line([(0.62, 0.76), (0.62, 0.98), (0.74, 0.98)], main, 0.045)
    c.ellipse(0.75, 0.24, 0.81, 0.30, shade)


def _fish(c: Canvas, main: Fill, shade: Fill) -> None:
    c.polygon([(0.66, 0.5), (1.0, 0.22), (0.94, 0.5), (1.0, 0.80)], main)
    c.polygon([(0.30, 0.36), (0.48, 0.12), (0.66, 0.36)], main)
    c.ellipse(0.0, 0.26, 0.80, 0.76, main)
    c.line([(0.26, 0.32), (0.31, 0.5), (0.26, 0.70)], shade, 0.035)
    for x in (0.42, 0.54, 0.66):
        c.line([(x, 0.38), (x + 0.04, 0.5), (x, 0.64)], shade, 0.03)
    c.ellipse(0.11, 0.40, 0.19, 0.48, shade)


def _flower(c: Canvas, main: Fill, shade: Fill) -> None:
    green: Fill = main if c.mask else (40, 120, 50)
    c.line([(0.5, 0.5), (0.5, 1.0)], green, 0.06)
    c.polygon([(0.5, 0.92), (0.26, 0.68), (0.22, 0.84)], green)
    c.polygon([(0.5, 0.88), (0.76, 0.66), (0.78, 0.82)], green)
    for x, y in ((0.5, 0.13), (0.72, 0.27), (0.65, 0.51), (0.35, 0.51), (0.28, 0.27)):
        c.ellipse(x - 0.17, y - 0.15, x + 0.17, y + 0.15, main)
    c.ellipse(0.38, 0.22, 0.62, 0.46, shade)


def _pot(c: Canvas, main: Fill, shade: Fill) -> None:
    c.ellipse(0.14, 0.32, 0.86, 0.98, main)
    c.polygon([(0.38, 0.42), (0.40, 0.10), (0.60, 0.10), (0.62, 0.42)], main)
    c.rectangle(0.30, 0.0, 0.70, 0.11, main)
    c.polygon([(0.15, 0.58), (0.85, 0.58), (0.86, 0.70), (0.14, 0.70)], shade)
    c.rectangle(0.30, 0.93, 0.70, 1.0, main)


def _cup(c: Canvas, main: Fill, shade: Fill) -> None:
    c.ring(0.58, 0.34, 0.98, 0.70, main, 0.09)
    c.polygon([(0.10, 0.26), (0.78, 0.26), (0.72, 0.78), (0.16, 0.78)], main)
    c.ellipse(0.10, 0.19, 0.78, 0.33, shade)
    c.ellipse(0.0, 0.80, 0.90, 0.96, main)
    c.line([(0.15, 0.87), (0.75, 0.87)], shade, 0.03)
    if not c.mask:
        c.line([(0.30, 0.02), (0.34, 0.08), (0.28, 0.14)], (245, 245, 245), 0.03)


def _lantern(c: Canvas, main: Fill, shade: Fill) -> None:
    c.ring(0.36, 0.0, 0.64, 0.26, main, 0.05)
    c.polygon([(0.22, 0.32), (0.50, 0.12), (0.78, 0.32)], main)
    c.rectangle(0.26, 0.32, 0.74, 0.88, main)
    c.rectangle(0.18, 0.88, 0.82, 1.0, main)
    glow: Fill = main if c.mask else (255, 236, 150)
    c.rectangle(0.34, 0.40, 0.66, 0.80, glow)
    c.line([(0.5, 0.40), (0.5, 0.80)], shade, 0.05)


def _hat(c: Canvas, main: Fill, shade: Fill) -> None:
    c.ellipse(0.0, 0.60, 1.0, 0.90, main)
    c.polygon([(0.24, 0.76), (0.28, 0.26), (0.40, 0.16), (0.50, 0.22), (0.60, 0.16), (0.72, 0.26), (0.76, 0.76)], main)
    c.polygon([(0.245, 0.70), (0.255, 0.54), (0.745, 0.54), (0.755, 0.70)], shade)


def _boot(c: Canvas, main: Fill, shade: Fill) -> None:
    c.polygon([(0.20, 0.02), (0.60, 0.02), (0.60, 0.52), (0.90, 0.62), (0.98, 0.74), (0.98, 0.88), (0.18, 0.88)], main)
    c.rectangle(0.16, 0.88, 0.98, 0.97, shade)
    c.rectangle(0.20, 0.02, 0.60, 0.14, shade)
    for y in (0.26, 0.36, 0.46):
        c.line([(0.44, y), (0.60, y)], shade, 0.035)


def _shirt(c: Canvas, main: Fill, shade: Fill) -> None:
    c.polygon(
        [
            (0.32, 0.06),
            (0.68, 0.06),
            (1.0, 0.26),
            (0.88, 0.50),
            (0.76, 0.42),
            (0.76, 0.98),
            (0.24, 0.98),
            (0.24, 0.42),
            (0.12, 0.50),
            (0.0, 0.26),
        ],
        main,
    )
    c.polygon([(0.36, 0.06), (0.64, 0.06), (0.50, 0.26)], shade)
    c.line([(0.5, 0.26), (0.5, 0.98)], shade, 0.03)
    for y in (0.42, 0.60, 0.78):
        c.ellipse(0.53, y, 0.60, y + 0.06, shade)


def _book(c: Canvas, main: Fill, shade: Fill) -> None:
    paper: Fill = main if c.mask else (250, 246, 230)
    c.polygon([(0.0, 0.24), (0.5, 0.36), (1.0, 0.24), (1.0, 0.84), (0.5, 0.96), (0.0, 0.84)], main)
    c.polygon([(0.07, 0.16), (0.48, 0.28), (0.48, 0.86), (0.07, 0.74)], paper)
    c.polygon([(0.93, 0.16), (0.52, 0.28), (0.52, 0.86), (0.93, 0.74)], main)
    for y in (0.32, 0.44, 0.56):
        c.line([(0.14, y), (0.41, y + 0.08)], shade, 0.03)
        c.line([(0.59, y + 0.08), (0.86, y)], shade, 0.03)


def _guitar(c: Canvas, main: Fill, shade: Fill) -> None:
    c.line([(0.46, 0.56), (0.86, 0.10)], main, 0.09)
    c.polygon([(0.78, 0.10), (0.90, 0.0), (1.0, 0.10), (0.90, 0.20)], main)
    c.ellipse(0.28, 0.36, 0.68, 0.74, main)
    c.ellipse(0.04, 0.48, 0.54, 0.98, main)
    c.ellipse(0.30, 0.52, 0.48, 0.70, shade)
    c.line([(0.14, 0.74), (0.28, 0.88)], shade, 0.05)


OBJECTS: Mapping[str, Callable[[Canvas, Fill, Fill], None]] = MappingProxyType(
    {
        "cat": _cat,
        "bird": _bird,
        "fish": _fish,
        "flower": _flower,
        "pot": _pot,
        "cup": _cup,
        "lantern": _lantern,
        "hat": _hat,
        "boot": _boot,
        "shirt": _shirt,
        "book": _book,
        "guitar": _guitar,
    }
)
