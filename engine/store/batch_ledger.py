"""Which batch at a provider answers which requests, so that a killed process finds its open batch again and nothing is paid twice.

A batch is known by a key, a hash of its rows' ids. Whoever wants to submit one first claims its key; what the provider then accepts is
recorded, once. A claim without a record may be that of a process that died between the two: the next claimer takes over, and asks the
provider whether a batch of that key came into being.

Claims and records name their rows, so that a row is found whatever batch it was in. All files are created once and never replaced. No plan
names them: `mien gc` takes them when they are older than any batch lives.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import CorruptObject, Missing
from engine.keys import Json, canonical
from engine.store import names
from engine.store.backend import Backend
from engine.store.lease_owner import Owner

FOLDER = "batches"

_RECORD, _CLAIM, _LEFT, _TOLD = "json", "claim", "left", "told"
ROW = 16
"""Hex characters of a row's id that are kept: enough to look into the right batch."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A batch that the provider accepted; `batch` is its id there, "" if the claim on `key` came to nothing.

    `told`: its outcomes were handed over once, so what failed in it may be asked for again.
    """

    key: str
    batch: str
    rows: NDArray[np.uint64]
    told: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to submit the batch of a key; `number` counts those who had it, `since` is when the first one got it (Unix seconds)."""

    key: str
    rows: tuple[str, ...]
    number: int
    since: float

    @property
    def is_first(self) -> bool:
        """Whether no other process can have submitted a batch of this key."""
        return self.number == 1


class BatchLedger:
    """The batches of all writers of a store. Safe to use from several threads and processes."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._lock = threading.Lock()
        self._records: dict[str, Recorded] = {}

    def holding(self, rows: Collection[str]) -> list[Recorded]:
        """The recorded batches in which any of these rows is, sorted by key. Raises CorruptObject."""
        wanted = _short(rows)
        return [each for each in self._read_new() if np.isin(each.rows, wanted).any()]

    def is_recorded(self, key: str) -> bool:
        """Whether a batch of this key was accepted, or is known not to be."""
        return self._record(key) is not None

    def batches(self) -> set[str]:
        """The provider's ids of all recorded batches."""
        return {each.batch for each in self._read_new() if each.batch}

    def unsettled(self, rows: Collection[str]) -> list[Claim]:
        """Claims on any of these rows of which nothing is recorded: a process submits them now, or died while it did."""
        settled = {each.key for each in self._read_new()}
        latest: dict[str, int] = {}
        for key, kind in self._files():
            if kind.startswith(_CLAIM) and key not in settled:
                latest[key] = max(latest.get(key, 0), int(kind.removeprefix(_CLAIM)))
        wanted = _short(rows)
        claims = [self._claim(key, number)[0] for key, number in sorted(latest.items())]
        return [claim for claim in claims if np.isin(_short(claim.rows), wanted).any()]

    def claim(self, key: str, rows: Sequence[str], patience_s: float) -> Claim | None:
        """The right to submit these rows, or None while another process has it: one that is not known to be dead and claimed it less than
        `patience_s` seconds ago. Ask again after a while; the batch may be recorded by then."""
        ages, left = self._claims(key)
        if not ages:
            return self._create(Claim(key, tuple(rows), 1, time.time()))
        number = max(ages)
        claim, owner = self._claim(key, number)
        if number not in left and ages[number] < patience_s and (owner is None or not owner.is_known_dead()):
            return None
        return self._create(Claim(key, claim.rows, number + 1, claim.since))

    def accept(self, claim: Claim, batch: str) -> str:
        """Record what the provider accepted ("": nothing); returns the batch that stands, another one if somebody else was first."""
        rows: Json = [row[:ROW] for row in claim.rows]
        if self._backend.create(_name(claim.key, _RECORD), canonical({"key": claim.key, "batch": batch, "rows": rows})):
            return batch
        standing = self._record(claim.key)
        assert standing is not None
        return standing.batch

    def leave(self, claim: Claim) -> None:
        """Say that the claimer gave up, so that the next one need not wait; whether a batch came into being is for that one to find out."""
        self._backend.create(_name(claim.key, f"{_LEFT}{claim.number}"), b"{}")

    def tell(self, keys: Iterable[str]) -> None:
        """Say that the outcomes of these batches were handed over."""
        for key in keys:
            self._backend.create(_name(key, _TOLD), b"{}")

    def _create(self, claim: Claim) -> Claim | None:
        rows: Json = [row[:ROW] for row in claim.rows]
        # The nonce: equal bytes would read as a retry of this very write.
        record = {**Owner.this_process().record(), "since": claim.since, "rows": rows, "nonce": secrets.token_hex(8)}
        return claim if self._backend.create(_name(claim.key, f"{_CLAIM}{claim.number}"), canonical(record)) else None

    def _claim(self, key: str, number: int) -> tuple[Claim, Owner | None]:
        name = _name(key, f"{_CLAIM}{number}")
        record = self._read(name, self._backend.read(name))
        since = record["since"]
        if not isinstance(since, int | float):
            raise _corrupt(name)
        return Claim(key, _rows(name, record), number, float(since)), Owner.of_record(record)

    def _claims(self, key: str) -> tuple[dict[int, float], set[int]]:
        """The claims on a key by number with their ages in seconds, and the numbers of those that were given up."""
        ages: dict[int, float] = {}
        left: set[int] = set()
        for aged in self._backend.ages(_name(key, _RECORD).rpartition("/")[0] + "/"):
            stem, _, kind = aged.name.rpartition("/")[2].partition(".")
            if stem == key and kind.startswith(_CLAIM):
                ages[int(kind.removeprefix(_CLAIM))] = aged.age_s
            elif stem == key and kind.startswith(_LEFT):
                left.add(int(kind.removeprefix(_LEFT)))
        return ages, left

    def _files(self) -> list[tuple[str, str]]:
        """(key, kind) of every file."""
        found = [name.rpartition("/")[2].partition(".") for name in self._backend.list(f"objects/{FOLDER}/")]
        return [(key, kind) for key, _, kind in found]

    def _read_new(self) -> list[Recorded]:
        """All records, sorted by key; each is read once, since it never changes."""
        files = self._files()
        told = {key for key, kind in files if kind == _TOLD}
        with self._lock:
            new = {_name(key, _RECORD): key for key, kind in files if kind == _RECORD and key not in self._records}
            for name, data in self._backend.read_many(new):
                self._records[new[name]] = self._recorded(new[name], self._read(name, data))
            known = [self._records[key] for key, kind in files if kind == _RECORD]
        return [Recorded(each.key, each.batch, each.rows, each.key in told) for each in sorted(known, key=lambda each: each.key)]

    def _record(self, key: str) -> Recorded | None:
        name = _name(key, _RECORD)
        try:
            return self._recorded(key, self._read(name, self._backend.read(name)))
        except Missing:
            return None

    @staticmethod
    def _recorded(key: str, record: Mapping[str, Json]) -> Recorded:
        name = _name(key, _RECORD)
        if record.get("key") != key or not isinstance(batch := record.get("batch"), str):
            raise _corrupt(name)
        return Recorded(key, batch, _short(_rows(name, record)), told=False)

    @staticmethod
    def _read(name: str, data: bytes) -> Mapping[str, Json]:
        try:
            record = json.loads(data)
        except ValueError as error:
            raise _corrupt(name) from error
        if not isinstance(record, dict):
            raise _corrupt(name)
        return record


def _rows(name: str, record: Mapping[str, Json]) -> tuple[str, ...]:
    rows = record.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise _corrupt(name)
    return tuple(rows)


def _short(rows: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([int(row[:ROW], 16) for row in rows], dtype=np.uint64)


def _name(key: str, kind: str) -> str:
    return names.object_(FOLDER, key, kind)


def _corrupt(name: str) -> CorruptObject:
    return CorruptObject(
        f"{name} cannot be read.",
        remedy="See the provider's list of batches, then move the file away: the requests of this batch will be submitted anew.",
    )
