"""One driver at a time, without comparing clocks (STORAGE, rule 5).

The lease saves money only: with it broken, two drivers still write the same names and the first write wins.
"""

from __future__ import annotations

import json
import secrets
import shlex
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType

from engine.errors import LeaseHeld, Missing, StoreError
from engine.keys import canonical
from engine.store import names
from engine.store.backend import Backend
from engine.store.lease_owner import UNKNOWN, Owner

BEAT_S = 5.0
STALE_S = 15.0
WATCH_S = 30.0
LAST_WORDS_S = 5.0
"""How long a store that is away may hold up the end of a driver; a lease that was not released is watched instead."""


def latest_epochs(files: Iterable[str]) -> dict[str, int]:
    """Run -> the last epoch that was taken, of each run with a claim among `files`; files of other names do not count."""
    latest: dict[str, int] = {}
    for claim in (parsed for parsed in map(names.parse, files) if parsed.kind == "claim"):
        latest[claim.run] = max(claim.epoch, latest.get(claim.run, 0))
    return latest


class Lease:
    """Held while a driver works on a run; `with Lease(...) as lease` acquires, beats in the background and releases."""

    def __init__(self, backend: Backend, run: str, *, notice: Callable[[str], None] = lambda _: None, watch_s: float = WATCH_S) -> None:
        self._backend, self._run, self._notice, self._watch_s = backend, run, notice, watch_s
        self._token = secrets.token_hex(16)
        self._stop = threading.Event()
        self._last_good = time.monotonic()
        self._count = 0
        self._taken = False
        self.epoch = 0
        self.trouble: Exception | None = None
        """Why the last beat failed; None after a good one. Any but a StoreError has ended the beating for good."""
        self._thread = threading.Thread(target=self._keep_beating, name="lease", daemon=True)

    def __enter__(self) -> Lease:
        while True:
            epoch = self.latest()
            if epoch and not self._is_free(epoch):
                raise LeaseHeld(
                    f"Run {self._run} is being worked on by {self._owner(epoch) or UNKNOWN}.",
                    remedy=f"Watch it: mien watch {self._run} --store {shlex.quote(self._backend.uri)}\n"
                    "  Or end that process, then run the same command again.",
                )
            claim = canonical({"owner": Owner.this_process().record(), "token": self._token})
            if self._backend.create(self._name(epoch + 1, "json"), claim):
                self.epoch = epoch + 1
                break
        self._beat()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join(timeout=LAST_WORDS_S)  # a beat that hangs on an outage of the store must not hold up the end
        if self.is_good():
            with suppress(StoreError):  # the first error is the one to tell
                self._write_beat(self._backend.with_patience(LAST_WORDS_S), released=True)

    def is_good(self) -> bool:
        """Whether new work may be submitted: the last good beat is recent and nobody took over."""
        return not self._taken and self.silent_s <= STALE_S

    @property
    def silent_s(self) -> float:
        """Seconds since the last good beat began."""
        return time.monotonic() - self._last_good

    @property
    def was_taken_over(self) -> bool:
        """Whether another driver holds the run now; otherwise a lease that is not good could not be beaten in time."""
        return self._taken

    def _keep_beating(self) -> None:
        while not self._stop.wait(BEAT_S):
            try:
                self._beat()
            except StoreError as error:
                self.trouble = error  # the beat grows stale by itself, and `is_good` says so
            except Exception as error:  # noqa: BLE001 - a thread that died unseen would let the driver wait for ever
                self.trouble = error
                return

    def _beat(self) -> None:
        started = time.monotonic()
        if self.latest() > self.epoch:
            self._taken = True
            self._stop.set()
            return
        self._write_beat(self._backend, released=False)
        self._last_good = started  # before the write: one that hung for long proves nothing about now
        self.trouble = None

    def _write_beat(self, backend: Backend, *, released: bool) -> None:
        self._count += 1
        backend.replace(self._name(self.epoch, "beat"), canonical({"count": self._count, "token": self._token, "released": released}))

    def _is_free(self, epoch: int) -> bool:
        """Whether the holder of `epoch` is gone: released, a dead process of this host and boot, or silent for the whole watch."""
        if self.is_released_or_dead(epoch):
            return True
        beat = self.beat(epoch)
        self._notice(f"another driver ({self._owner(epoch) or UNKNOWN}) may be at work; watching its beat for up to {self._watch_s:.0f} s")
        deadline = time.monotonic() + self._watch_s
        while time.monotonic() < deadline:
            time.sleep(min(1.0, self._watch_s / 10))
            now = self.beat(epoch)
            if now != beat:
                return _says_released(now)
        return True

    def is_released_or_dead(self, epoch: int) -> bool:
        """Whether the holder of `epoch` released it, or was a process of this host and boot that is dead."""
        if _says_released(self.beat(epoch)):
            return True
        owner = self._owner(epoch)
        return owner is not None and owner.is_known_dead()

    def latest(self) -> int:
        """The last epoch that was taken; 0 if none was."""
        return latest_epochs(self._backend.list(names.run(self._run, "lease") + "/")).get(self._run, 0)

    def beat(self, epoch: int) -> bytes | None:
        """The last beat of `epoch`; None if none was written yet."""
        try:
            return self._backend.read(self._name(epoch, "beat"))
        except Missing:
            return None

    def _owner(self, epoch: int) -> Owner | None:
        """Who took `epoch`; None if its claim does not tell."""
        try:
            claim = _fields(self._backend.read(self._name(epoch, "json")))
        except Missing:
            return None
        return Owner.of_record(claim.get("owner"))

    def _name(self, epoch: int, kind: str) -> str:
        return names.lease(self._run, epoch, kind)


def _says_released(beat: bytes | None) -> bool:
    return beat is not None and _fields(beat).get("released") is True


def _fields(data: bytes) -> dict[str, object]:
    """The fields of a file of a lease; none if it is damaged, which proves nothing."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
