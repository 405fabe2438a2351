"""The few operations a storage medium must offer. `create` is the only commit primitive (STORAGE, rule 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.store.names import checked


@dataclass(frozen=True)
class Aged:
    """A stored file with its size in bytes and its age in seconds by the store's own clock."""

    name: str
    size: int
    age_s: float


class Backend(Protocol):
    """A flat space of names ("a/b/c") that hold bytes. Safe to use from several threads and processes."""

    uri: str
    """What `open_backend` opens again on any node; holds no credentials."""

    @property
    def requests(self) -> Mapping[str, int]:
        """How many requests of each kind ("PutObject") this process has sent, repeated ones included; empty where none are paid for."""

    def create(self, name: str, data: bytes) -> bool:
        """Write `name` whole and durably if it does not exist; whether it holds `data` now.

        Contenders bring different data, and exactly one of them gets True; a repeated call with the same data gets True again.
        Raises StoreError.
        """

    def replace(self, name: str, data: bytes) -> None:
        """Write `name` whether or not it exists: for beats and reports, never for results."""

    def read(self, name: str) -> bytes:
        """The bytes of `name`. Raises Missing."""

    def tail(self, name: str, size: int) -> bytes:
        """The last `size` (>= 1) bytes of `name`, or all if it is shorter. Raises Missing."""

    def read_many(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """(name, bytes) in the order given, a few read ahead. Raises Missing for one that is not there."""

    def ages(self, prefix: str) -> list[Aged]:
        """What `list` finds, with sizes and ages; sorted by name."""

    def list(self, prefix: str) -> list[str]:
        """All names that start with `prefix` (a folder, ending in "/"; "" for the whole store), sorted; [] if there are none."""

    def delete(self, name: str) -> None:
        """Remove `name`; nothing happens if it is not there."""

    def with_patience(self, seconds: float) -> Backend:
        """A view of the same store, on the same connections, that gives up on an outage after `seconds`: for a process's last words."""

    def locate(self, name: str) -> str:
        """Where a person finds `name`: a path, or an s3:// address."""


def is_storable(name: str) -> bool:
    """Whether a file found in a store can be one of ours; others (left by a file system, a console or a person) are not listed."""
    try:
        checked(name)
    except ValueError:
        return False
    return True
