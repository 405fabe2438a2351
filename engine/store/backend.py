"""The few operations a storage medium must offer. `create` is the only commit primitive (STORAGE, rule 2)."""

from __future__ import annotations

from typing import Protocol


class Backend(Protocol):
    """A flat space of names ("a/b/c") that hold bytes. Safe to use from several threads and processes."""

    uri: str

    def create(self, name: str, data: bytes) -> bool:
        """Write `name` whole and durably if it does not exist; True if this call made it, False if it was there. Raises StoreError."""

    def replace(self, name: str, data: bytes) -> None:
        """Write `name` whether or not it exists: for beats and reports, never for results."""

    def read(self, name: str) -> bytes:
        """The bytes of `name`. Raises Missing."""

    def list(self, prefix: str) -> list[str]:
        """All names that start with `prefix` (a folder, ending in "/"), sorted; [] if there are none."""

    def delete(self, name: str) -> None:
        """Remove `name`; nothing happens if it is not there."""
