"""The scale that ratings are told on: 400 points for tenfold odds, 1500 in the middle (METRICS, ratings)."""

from __future__ import annotations

from math import log

MIDDLE = 1500.0
POINTS = 400.0 / log(10.0)
"""Rating points for one unit of log odds."""
