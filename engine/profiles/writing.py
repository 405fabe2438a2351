"""Writes people to Parquet, streaming, all or nothing: a file under its own name is always whole."""

from __future__ import annotations

import io
import itertools
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from engine.errors import InputError, StoreUnusable
from engine.profiles import limits
from engine.records import PROFILE_SCHEMA, Profile, profiles_to_table


def write_people(profiles: Iterable[Profile], path: Path, *, progress: Callable[[int], None] | None = None) -> int:
    """Writes `profiles` to `path` (Parquet, zstd, row groups of 256) and returns how many there were.

    They go to a temporary sibling that takes the name only when whole; on any failure nothing stays and an older file is untouched.
    `progress` is called with the people written so far. Raises InputError for another file type or no people at all, StoreUnusable for a
    full or unwritable disk.
    """
    if path.suffix.lower() != ".parquet":
        raise InputError("people are written as Parquet", file=str(path), remedy="Name the file *.parquet.")
    if path.is_dir():
        raise InputError("is a folder", file=str(path), remedy="Name a file that may be written.")
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        written = _write(iter(profiles), temporary, progress)
        if not written:
            raise InputError("there are no people to write", file=str(path), remedy="Check the input: nobody in it was usable.")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return written


def _write(profiles: Iterator[Profile], temporary: Path, progress: Callable[[int], None] | None) -> int:
    written = 0
    with _Sink(temporary) as sink:
        with pq.ParquetWriter(sink, PROFILE_SCHEMA, compression="zstd") as writer:
            while people := list(itertools.islice(profiles, limits.BATCH_ROWS)):
                writer.write_table(profiles_to_table(people))
                sink.check()
                written += len(people)
                if progress is not None:
                    progress(written)
        sink.check()
    return written


class _Sink(io.RawIOBase):
    """A new file that keeps the disk's first refusal for `check`, because Arrow's own writer cannot be closed once a write has raised."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.folder = path.parent
        self.refusal: OSError | None = None
        self.size = 0
        try:
            self.file = path.open("xb", buffering=0)
        except OSError as error:
            self.refusal = error
            self.check()

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self.size += len(view)
        at = 0
        while self.refusal is None and at < len(view):
            try:
                at += self.file.write(view[at:])
            except OSError as error:
                self.refusal = error
        return len(view)

    def check(self) -> None:
        """Raises StoreUnusable if the disk has refused anything."""
        if self.refusal is not None:
            remedy = "Free some space, or name a folder that exists and may be written."
            reason = self.refusal.strerror or self.refusal
            raise StoreUnusable(f"cannot write into {self.folder}: {reason}.", remedy=remedy) from self.refusal

    def close(self) -> None:
        if not self.closed and hasattr(self, "file"):
            self.file.close()
        super().close()
