"""The backgrounds of scenes, each filling the whole image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.scenes.canvas import Canvas, Colour, jitter


def _sky(c: Canvas, colour: Colour) -> None:
    c.rectangle(0, 0, 1, 1, jitter(c.rng, colour, 10))


def _beach(c: Canvas) -> None:
    _sky(c, (150, 208, 240))
    sea = 0.36 + c.rng.uniform(-0.03, 0.03)
    c.rectangle(0, sea, 1, 1, jitter(c.rng, (24, 132, 176), 10))
    shore = 0.62 + c.rng.uniform(-0.03, 0.03)
    c.polygon([(0, shore + 0.06), (0.5, shore), (1, shore + 0.06), (1, 1), (0, 1)], jitter(c.rng, (238, 214, 158), 8))
    c.line([(0, shore + 0.06), (0.5, shore), (1, shore + 0.06)], (245, 250, 250), 0.025)


def _mountains(c: Canvas) -> None:
    _sky(c, (172, 200, 224))
    for x, top, half in ((0.22, 0.12, 0.36), (0.76, 0.06, 0.40)):
        x, top = x + c.rng.uniform(-0.06, 0.06), top + c.rng.uniform(-0.03, 0.05)
        c.polygon([(x, top), (x - half, 0.8), (x + half, 0.8)], jitter(c.rng, (104, 112, 132), 8))
        c.polygon([(x, top), (x - half * 0.36, top + 0.25), (x, top + 0.19), (x + half * 0.36, top + 0.25)], (246, 248, 252))
    c.rectangle(0, 0.72, 1, 1, jitter(c.rng, (222, 230, 238), 8))


def _meadow(c: Canvas) -> None:
    _sky(c, (140, 200, 246))
    c.ellipse(-0.4, 0.34, 0.8, 1.3, jitter(c.rng, (128, 196, 84), 8))
    c.ellipse(0.2, 0.38, 1.5, 1.4, jitter(c.rng, (104, 178, 70), 8))
    c.rectangle(0, 0.72, 1, 1, jitter(c.rng, (92, 166, 60), 8))
    for x, y in c.rng.uniform((0, 0.55), (1, 0.98), (12, 2)):
        c.ellipse(x - 0.015, y - 0.015, x + 0.015, y + 0.015, (250, 240, 170))


def _forest(c: Canvas) -> None:
    c.rectangle(0, 0, 1, 1, jitter(c.rng, (36, 82, 48), 8))
    c.rectangle(0, 0.78, 1, 1, jitter(c.rng, (70, 58, 36), 8))
    for x in (0.06, 0.26, 0.46, 0.66, 0.86):
        x += c.rng.uniform(-0.04, 0.04)
        c.rectangle(x, 0.1, x + 0.07, 0.84, jitter(c.rng, (84, 56, 34), 10))
    for x, y in c.rng.uniform((0, 0), (1, 0.24), (9, 2)):
        c.ellipse(x - 0.14, y - 0.10, x + 0.14, y + 0.10, jitter(c.rng, (30, 104, 48), 14))


def _desert(c: Canvas) -> None:
    _sky(c, (244, 206, 150))
    x = c.rng.uniform(0.12, 0.88)
    c.ellipse(x - 0.08, 0.06, x + 0.08, 0.22, (255, 246, 214))
    c.polygon([(0, 0.55), (0.32, 0.38), (0.7, 0.62), (1, 0.46), (1, 1), (0, 1)], jitter(c.rng, (216, 150, 78), 8))
    c.polygon([(0, 0.78), (0.55, 0.58), (1, 0.80), (1, 1), (0, 1)], jitter(c.rng, (188, 118, 56), 8))


def _city(c: Canvas) -> None:
    _sky(c, (186, 192, 204))
    left = 0.0
    while left < 1:
        width, top = c.rng.uniform(0.14, 0.24), c.rng.uniform(0.04, 0.34)
        c.rectangle(left, top, left + width, 0.84, jitter(c.rng, (98, 102, 120), 22))
        for y in (0.07, 0.18, 0.29, 0.40):
            for x in (0.22, 0.62):
                c.rectangle(left + width * x, top + y, left + width * (x + 0.2), top + y + 0.05, (252, 230, 140))
        left += width
    c.rectangle(0, 0.84, 1, 1, jitter(c.rng, (66, 66, 72), 6))
    c.line([(0, 0.92), (1, 0.92)], (236, 236, 220), 0.02)


def _kitchen(c: Canvas) -> None:
    c.rectangle(0, 0, 1, 1, jitter(c.rng, (206, 232, 228), 8))
    for place in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        c.line([(place, 0), (place, 0.74)], (120, 168, 168), 0.016)
        c.line([(0, place * 0.74), (1, place * 0.74)], (120, 168, 168), 0.016)
    c.rectangle(0, 0.74, 1, 0.82, jitter(c.rng, (232, 232, 226), 6))
    c.rectangle(0, 0.82, 1, 1, jitter(c.rng, (90, 124, 132), 8))


def _room(c: Canvas) -> None:
    c.rectangle(0, 0, 1, 1, jitter(c.rng, (146, 78, 72), 8))
    for y in (0.04, 0.32, 0.60):
        left = 0.02
        while left < 0.96:
            width = c.rng.uniform(0.04, 0.08)
            spine = jitter(c.rng, (132, 104, 84), 60)
            c.rectangle(left, y + c.rng.uniform(0, 0.06), left + width, y + 0.22, spine)
            left += width + 0.008
        c.rectangle(0, y + 0.22, 1, y + 0.27, (74, 40, 34))
    c.rectangle(0, 0.86, 1, 1, jitter(c.rng, (112, 62, 52), 8))


def _market(c: Canvas) -> None:
    c.rectangle(0, 0, 1, 1, jitter(c.rng, (226, 204, 172), 8))
    for stripe in range(8):
        colour: Colour = (222, 70, 64) if stripe % 2 else (250, 246, 236)
        c.polygon(
            [(stripe / 8, 0), ((stripe + 1) / 8, 0), ((stripe + 1) / 8, 0.24), (stripe / 8 + 1 / 16, 0.31), (stripe / 8, 0.24)], colour
        )
    c.rectangle(0, 0.74, 1, 1, jitter(c.rng, (148, 98, 56), 8))
    for x in (0.06, 0.22, 0.38, 0.54, 0.70, 0.86):
        c.ellipse(x - 0.06, 0.66, x + 0.08, 0.80, jitter(c.rng, (204, 132, 60), 50))


def _workshop(c: Canvas) -> None:
    for plank in range(6):
        c.rectangle(plank / 6, 0, (plank + 1) / 6, 1, jitter(c.rng, (178, 136, 92), 12))
        c.line([(plank / 6, 0), (plank / 6, 1)], (112, 78, 46), 0.016)
    for x in (0.12, 0.36, 0.62, 0.88):
        x += c.rng.uniform(-0.03, 0.03)
        c.line([(x, 0.06), (x, 0.28)], (88, 88, 96), 0.035)
        c.rectangle(x - 0.06, 0.04, x + 0.06, 0.10, (88, 88, 96))
    c.rectangle(0, 0.80, 1, 0.88, (128, 86, 48))
    c.rectangle(0, 0.88, 1, 1, (92, 60, 36))


BACKGROUNDS: Mapping[str, Callable[[Canvas], None]] = MappingProxyType(
    {
        "beach": _beach,
        "mountains": _mountains,
        "meadow": _meadow,
        "forest": _forest,
        "desert": _desert,
        "city": _city,
        "kitchen": _kitchen,
        "room": _room,
        "market": _market,
        "workshop": _workshop,
    }
)
