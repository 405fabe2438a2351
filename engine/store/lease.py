"""One driver at a time, without comparing clocks (STORAGE, rule 5).

The lease saves money only: with it broken, two drivers still write the same names and the first write wins.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from engine.errors import LeaseHeld, Missing, StoreError
from engine.keys import canonical
from engine.store import names
from engine.store.backend import Backend

BEAT_S = 5.0
STALE_S = 15.0
WATCH_S = 30.0


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
        self._thread = threading.Thread(target=self._keep_beating, name="lease", daemon=True)

    def __enter__(self) -> Lease:
        while True:
            epoch = self.latest()
            if epoch and not self._is_free(epoch):
                raise LeaseHeld(
                    f"Run {self._run} is being worked on by {_owner_name(self._owner(epoch))}.",
                    remedy="Watch it with `mien watch`, or end that process and run the same command again.",
                )
            claim = canonical({"owner": _this_process(), "token": self._token})
            if self._backend.create(self._name(epoch + 1, "json"), claim):
                self.epoch = epoch + 1
                break
        self._beat()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join(timeout=BEAT_S)  # a beat that hangs on an outage of the store must not hold up the end
        if self.is_good():
            with suppress(StoreError):  # the first error is the one to tell; a lease that was not released is watched instead
                self._write_beat(released=True)

    def is_good(self) -> bool:
        """Whether new work may be submitted: the last good beat is recent and nobody took over."""
        return time.monotonic() - self._last_good <= STALE_S

    @property
    def was_taken_over(self) -> bool:
        """Whether another driver holds the run now; otherwise a lease that is not good could not be beaten in time."""
        return self._taken

    def _keep_beating(self) -> None:
        while not self._stop.wait(BEAT_S):
            try:
                self._beat()
            except StoreError:
                continue  # the beat grows stale by itself, and `is_good` says so

    def _beat(self) -> None:
        started = time.monotonic()
        if self.latest() > self.epoch:
            self._taken, self._last_good = True, float("-inf")
            self._stop.set()
            return
        self._write_beat(released=False)
        self._last_good = started  # before the write: one that hung for long proves nothing about now

    def _write_beat(self, *, released: bool) -> None:
        self._count += 1
        self._backend.replace(self._name(self.epoch, "beat"), canonical({"count": self._count, "token": self._token, "released": released}))

    def _is_free(self, epoch: int) -> bool:
        """Whether the holder of `epoch` is gone: released, a dead process of this host and boot, or silent for the whole watch."""
        if self.is_released_or_dead(epoch):
            return True
        beat = self._read_beat(epoch)
        self._notice(f"another driver ({_owner_name(self._owner(epoch))}) may be at work; watching its beat for {self._watch_s:.0f} s")
        deadline = time.monotonic() + self._watch_s
        while time.monotonic() < deadline:
            time.sleep(min(1.0, self._watch_s / 10))
            now = self._read_beat(epoch)
            if now != beat:
                return bool(now and json.loads(now)["released"])
        return True

    def is_released_or_dead(self, epoch: int) -> bool:
        """Whether the holder of `epoch` released it, or was a process of this host and boot that is dead."""
        beat = self._read_beat(epoch)
        return bool(beat and json.loads(beat)["released"]) or _is_dead_here(self._owner(epoch))

    def latest(self) -> int:
        """The last epoch that was taken; 0 if none was."""
        claims = [name for name in self._backend.list(names.run(self._run, "lease") + "/") if name.endswith(".json")]
        return int(claims[-1].rsplit("/", 1)[-1].removesuffix(".json")) if claims else 0

    def _read_beat(self, epoch: int) -> bytes | None:
        try:
            return self._backend.read(self._name(epoch, "beat"))
        except Missing:
            return None

    def _owner(self, epoch: int) -> dict[str, str]:
        owner: dict[str, str] = json.loads(self._backend.read(self._name(epoch, "json")))["owner"]
        return owner

    def _name(self, epoch: int, kind: str) -> str:
        return names.run(self._run, "lease", f"{epoch:08d}.{kind}")


def _this_process() -> dict[str, str]:
    return {"host": socket.gethostname(), "boot": _boot_id(), "pid": str(os.getpid()), "started": _started(os.getpid())}


def _is_dead_here(owner: dict[str, str]) -> bool:
    """Whether the owner was a process of this host and boot that no longer runs; pids are reused, so its start time counts too."""
    here = owner["host"] == socket.gethostname() and owner["boot"] == _boot_id() != ""
    return here and _started(int(owner["pid"])) != owner["started"]


def _boot_id() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else ""


def _started(pid: int) -> str:
    """The start time of a process in clock ticks since boot; "" if there is none or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _owner_name(owner: dict[str, str]) -> str:
    return f"process {owner['pid']} on {owner['host']}"
