"""Stops a run early whose rows mostly fail: a wrong key or a broken model should cost minutes, not the whole fleet's night."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.errors import BudgetReached

SEEN_AT_LEAST = 200
"""Rows of a stage before its share of failures tells anything."""


class FailureBudget:
    """Counts rows that failed by themselves; `limit` is a number of them, a share of any one stage's rows ("20%"), or "" for none."""

    def __init__(self, limit: str) -> None:
        self._limit = limit
        self._rows: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()

    def add(self, stages: Sequence[Sequence[Any]]) -> None:
        """Count (stage, rows, failed, ...) of one shard. Raises BudgetReached."""
        for stage, rows, failed, *_ in stages:
            self._rows[stage] += rows
            self._failed[stage] += failed
        if self._limit.endswith("%"):
            for stage, rows in self._rows.items():
                if rows >= SEEN_AT_LEAST and self._failed[stage] * 100 > float(self._limit[:-1]) * rows:
                    raise self._reached(f"{self._failed[stage]} of the first {rows} rows of {stage} failed")
        elif self._limit and self.failed >= int(self._limit):
            raise self._reached(f"{self.failed} rows failed")

    @property
    def failed(self) -> int:
        """Rows that failed by themselves in this driver's passes."""
        return self._failed.total()

    @property
    def note(self) -> str:
        """What stands beside the progress."""
        return f"{self.failed} failed" if self.failed else ""

    def _reached(self, what: str) -> BudgetReached:
        return BudgetReached(f"Stopped early: {what} (execution.stop_after_failed: {self._limit}).")
