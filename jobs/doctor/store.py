"""The store: its one promise, alone and under contention, and its clock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime

from engine.errors import StoreError
from engine.store import names
from engine.store.backend import Backend
from engine.store.folder import TEMPORARY, FolderBackend
from engine.store.opening import probe
from jobs.doctor.finding import Finding, failed

CONTENDERS = 8
ROUNDS = 20
FEWEST_ROUNDS = 3
LONGEST_S = 15.0
"""No further round is begun after so long: a small S3 server may need seconds for eight contenders."""
SLOW_MS = 500.0
"""A round that takes longer is told: conditional writes cost such a server much."""
CLOCK_WARNS_S = 5.0


@contextmanager
def left_as_found(backend: Backend | None) -> Iterator[None]:
    """The checks may write meanwhile; where there was no folder none is left, unless something else stands in it now."""
    root = backend.root if isinstance(backend, FolderBackend) else None
    absent = [each for each in (root, *root.parents) if not os.path.exists(each)] if root else []  # Path.exists may raise
    try:
        yield
    finally:
        for each in (absent[0] / TEMPORARY, *absent) if absent else ():
            with suppress(OSError):  # not made, or in use by now
                each.rmdir()


def check_probe(backend: Backend) -> Finding:
    """The start-up probe of every run (STORAGE, rule 2)."""
    try:
        probe(backend)
    except StoreError as error:
        return failed("store", error)
    return Finding("store", "ok", f"{backend.uri} can be written and keeps what exists.")


def check_race(backend: Backend, rounds: int = ROUNDS, notice: Callable[[int, int], None] = lambda done, total: None) -> Finding:
    """`CONTENDERS` at once create one name, up to `rounds` times: exactly one may win, and its content must stand (STORAGE, rule 2).

    `notice` is told (rounds done, rounds).
    """
    started = time.monotonic()
    with ThreadPoolExecutor(CONTENDERS) as pool:
        for number in range(1, rounds + 1):
            try:
                wrong = _race(backend, pool)
            except StoreError as error:
                return failed("store race", error)
            if wrong:
                remedy = "Two workers could replace each other's results: choose a store with atomic create-if-absent."
                return Finding("store race", "fail", f"Round {number} of {rounds}: {wrong}", remedy)
            notice(number, rounds)
            spent = time.monotonic() - started
            if number >= FEWEST_ROUNDS and spent > LONGEST_S:
                break
    each = spent / number * 1000
    told = f"{number} rounds of {CONTENDERS} contenders, one winner each ({each:.0f} ms a round)."
    if each > SLOW_MS:
        remedy = "Its conditional writes are slow: results are safe, but workers wait to commit them. Larger shards need fewer commits."
        return Finding("store race", "warn", told, remedy)
    return Finding("store race", "ok", told)


def _race(backend: Backend, pool: ThreadPoolExecutor) -> str:
    """What went wrong in one round; "" if nothing did."""
    name, start = names.probe(), threading.Barrier(CONTENDERS)

    def contend(data: bytes) -> bool:
        start.wait()
        return backend.create(name, data)

    brought = [f"contender {number}".encode() for number in range(CONTENDERS)]
    try:
        won = [data for data, mine in zip(brought, pool.map(contend, brought), strict=True) if mine]
        stands = backend.read(name)
    finally:
        with suppress(StoreError):  # the first error is the one to tell; `mien gc` removes old probes
            backend.delete(name)
    if len(won) != 1:
        return f"{len(won)} of {CONTENDERS} contenders were told that they won."
    return "" if stands == won[0] else "the winner's content is not what stands."


def check_clock(backend: Backend) -> Finding:
    """This machine's clock beside the store's."""
    try:
        offset = clock_offset(backend)
    except StoreError as error:
        return failed("clock", error)
    if offset is None:
        return Finding("clock", "warn", "The store's date cannot be told.", "Nothing to do: leases do not compare clocks.")
    told = f"This machine's clock and the store's differ by {abs(offset):.1f} s"
    if abs(offset) <= CLOCK_WARNS_S:
        return Finding("clock", "ok", f"{told}.")
    remedy = "Set the clock (NTP): credentials and the journal's times need it. Leases do not, they compare no clocks."
    return Finding("clock", "warn", f"{told}, this one being {'ahead' if offset > 0 else 'behind'}.", remedy)


def clock_offset(backend: Backend) -> float | None:
    """Seconds by which this machine is ahead of the store's server (S3: to a second); None if that cannot be told. Raises StoreError."""
    if isinstance(backend, FolderBackend):
        return _folder_offset(backend)
    if backend.uri.startswith("s3://"):
        return _s3_offset(backend.uri)
    return None


def _folder_offset(backend: FolderBackend) -> float:
    name = names.probe()
    backend.create(name, b"clock")
    try:
        now = time.time()
        return now - (backend.root / name).stat().st_mtime
    finally:
        backend.delete(name)


def _s3_offset(uri: str) -> float | None:
    from engine.store.s3_address import S3Address
    from engine.store.s3_client import S3Client

    client = S3Client(S3Address.parse(uri).located(), patience_s=20)
    try:
        before = time.time()
        reply = client.patiently(lambda: client.send("list_objects_v2", "the listing", MaxKeys=1), "the listing")
        middle = (before + time.time()) / 2
    finally:
        client.close()
    said = reply["ResponseMetadata"]["HTTPHeaders"].get("date")
    # The header is cut to whole seconds.
    return middle - (parsedate_to_datetime(said).timestamp() + 0.5) if said else None
