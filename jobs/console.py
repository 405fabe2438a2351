"""What people and programs see of a command: text for people, JSON lines for programs, never mixed.

With `--json` stdout holds only JSON lines and text goes to stderr. Without a terminal progress is one plain line per 30 s. Nothing that
takes longer than 5 s is silent.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

PLAIN_EVERY_S = 30.0
SILENT_S = 5.0


class Console:
    """The one way in which commands speak."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    @property
    def _text(self) -> TextIO:
        return sys.stderr if self.as_json else sys.stdout

    def say(self, text: str = "") -> None:
        """A line for people."""
        print(text, file=self._text, flush=True)

    def warn(self, text: str) -> None:
        """A line for people that is not a result."""
        print(text, file=sys.stderr, flush=True)

    def event(self, event: str, **facts: Any) -> None:
        """A JSON line for programs; nothing without --json."""
        if self.as_json:
            print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)

    @contextmanager
    def patience(self, text: str) -> Iterator[None]:
        """Say `text` on stderr once if what is done inside, and cannot tell how far it is, takes longer than 5 s."""
        timer = threading.Timer(SILENT_S, self.warn, [text])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def progress(self, label: str, unit: str, *, estimate: bool = True) -> Iterator[Progress]:
        """A bar on a terminal, a plain line per 30 s elsewhere; with --json also an event each time.

        `estimate` adds the time that is left, by what is done from now on; the notes of others tell it themselves.
        """
        shown: _Shown = (_Bar if sys.stderr.isatty() else _Lines)(label, unit, estimate)
        try:
            yield Progress(self, shown, label, unit)
        finally:
            shown.close()


class Progress:
    """How far something is."""

    def __init__(self, console: Console, shown: _Shown, label: str, unit: str) -> None:
        self._console, self._shown, self._label, self._unit = console, shown, label, unit

    def set(self, done: int, total: int, note: str = "") -> None:
        """`done` of `total` (0: not known); `note` is shown beside it."""
        self._shown.set(done, total, note)
        self._console.event("progress", label=self._label, done=done, total=total, unit=self._unit)


class _Shown(Protocol):
    def set(self, done: int, total: int, note: str) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """Lines as far as things are known, also where nothing is new: a shard of long prompts takes many minutes."""

    def __init__(self, label: str, unit: str, estimate: bool) -> None:
        self._label, self._unit, self._estimate = label, unit, estimate
        self._started = self._said = time.monotonic()
        self._before: int | None = None
        self._known = (0, 0, "")
        self._saying, self._closed = threading.Lock(), threading.Event()
        threading.Thread(target=self._repeat, name="progress", daemon=True).start()

    def set(self, done: int, total: int, note: str) -> None:
        if self._before is None:
            self._started, self._before = time.monotonic(), done  # what was done before says nothing of the pace
        self._known = (done, total, note)
        self._say_if_due()

    def close(self) -> None:
        self._closed.set()

    def _repeat(self) -> None:
        while not self._closed.wait(PLAIN_EVERY_S / 4):
            self._say_if_due()

    def _say_if_due(self) -> None:
        with self._saying:
            now = time.monotonic()
            if self._before is None or now - self._said < PLAIN_EVERY_S:
                return
            self._said = now
        done, total, note = self._known
        passed = now - self._started
        rate = (done - self._before) / max(passed, 1e-9)
        left = f", about {(total - done) / rate:.0f} s left" if self._estimate and rate > 0 and total else f", {passed:.0f} s so far"
        of = f"{done}/{total}" if total else str(done)
        print(f"{self._label}: {of} {self._unit}{left}{f', {note}' if note else ''}", file=sys.stderr, flush=True)


class _Bar:
    def __init__(self, label: str, unit: str, estimate: bool) -> None:
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._progress = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            *([TimeRemainingColumn()] if estimate else []),
            TextColumn("{task.fields[note]}"),
            console=RichConsole(stderr=True),
        )
        self._task = self._progress.add_task(label, total=None, note="")
        self._progress.start()

    def set(self, done: int, total: int, note: str) -> None:
        self._progress.update(self._task, completed=done, total=total or None, note=note)

    def close(self) -> None:
        self._progress.stop()
