"""Writes the file of `actors.index_file` in one pass: vectors as they come, then the tables, last the header.

build_index(path, (PersonVectors(key, cluster, vectors) for ...), encoder="minilm-l6-v2@53aa5117.1b2c3d4e")
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.index_file import DATA_AT, Rows, header, seal
from engine.errors import InputError
from engine.keys import canonical
from engine.metrics.memory import unit_rows

ZERO_NORM = 1e-12
"""A caption whose vector is not longer has no direction (METRICS, notation)."""


@dataclass(frozen=True, slots=True, eq=False)
class PersonVectors:
    """One person of an index: content key, bootstrap cluster, caption embeddings (m, d) of any length, sha256 of each text or None."""

    key: str
    cluster: str
    vectors: NDArray[Any]
    digests: Sequence[bytes] | None = None


def build_index(path: Path, people: Iterable[PersonVectors], *, encoder: str) -> str:
    """Write the index of `people` to `path`, whole or not at all, one person in memory at a time; its sha256.

    Raises InputError for no people, a person given twice, vectors of another dimension or with NaN or infinity, and digests that do not
    fit the captions or that only some people have.
    """
    writing = _Writing(encoder)
    with _replacing(path) as file:
        file.seek(DATA_AT)
        for person in people:
            file.write(writing.added(person))
        for data in writing.tables():
            file.write(data)
        file.seek(0)
        file.write(writing.header())
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Writing:
    """What an index under way holds besides its vectors."""

    def __init__(self, encoder: str) -> None:
        self.encoder = encoder
        self.offsets, self.flat = [0], [np.zeros(0, np.int64)]
        self.places: dict[str, int] = {}
        self.clusters: list[str] = []
        self.digests: list[bytes] = []
        self.dimension = -1
        self.hash = hashlib.sha256()

    def added(self, person: PersonVectors) -> bytes:
        if person.key in self.places:
            raise InputError(f"person {person.key!r} comes twice.", field="key", remedy="Give each person once.")
        rows = self._rows(person)
        digests = person.digests or ()
        if (person.digests is not None and len(digests) != len(rows)) or any(len(digest) != 32 for digest in digests):
            raise InputError(f"person {person.key!r} has {len(rows)} captions and {len(digests)} digests of 32 bytes.", field="digests")
        self.places[person.key] = len(self.places)
        self.clusters.append(person.cluster)
        self.offsets.append(self.offsets[-1] + len(rows))
        self.digests += digests
        if self.digests and len(self.digests) != self.offsets[-1]:
            raise InputError(f"only some people up to {person.key!r} have digests.", field="digests", remedy="Give all or none.")
        return self._hashed(rows.tobytes())

    def _rows(self, person: PersonVectors) -> Rows:
        vectors = np.asarray(person.vectors)
        if self.dimension < 0 and vectors.ndim == 2:
            self.dimension = vectors.shape[1]
        if vectors.ndim != 2 or vectors.shape[1] != self.dimension or not self.dimension:
            raise InputError(
                f"person {person.key!r} has vectors of shape {vectors.shape}, those before have {max(self.dimension, 0)} columns.",
                field="vectors",
                remedy="Encode all captions with one encoder.",
            )
        rows, nonzero, finite = unit_rows(vectors, ZERO_NORM)
        if not finite.all():
            raise InputError(
                f"a caption vector of person {person.key!r} holds NaN or infinity.",
                field="vectors",
                remedy="Encode the person again.",
                code="non-finite-vector",
            )
        self.flat.append(np.flatnonzero(~nonzero) + self.offsets[-1])
        return np.where(_is_unit(vectors)[:, None], vectors, rows).astype("<f4")

    def tables(self) -> Iterator[bytes]:
        if not self.places:
            raise InputError("an index of no people was asked for.", remedy="Build it from at least one person.")
        yield self._hashed(np.array(self.offsets, "<i8").tobytes())
        yield self._hashed(np.concatenate(self.flat).astype("<i8").tobytes())
        yield self._hashed(b"".join(self.digests))
        try:
            self.names = canonical({"keys": list(self.places), "clusters": self.clusters})
        except ValueError as error:
            raise InputError(f"a person's key or cluster is no text: {error}.", field="key") from error
        yield self._hashed(self.names)

    def header(self) -> bytes:
        shapes = {
            "vectors": (self.offsets[-1], self.dimension),
            "offsets": (len(self.offsets),),
            "flat": (sum(map(len, self.flat)),),
            "digests": (len(self.digests), 32),
            "people": (len(self.names),),
        }
        return header(shapes, self.encoder, seal(shapes, self.encoder, self.hash.digest()))

    def _hashed(self, data: bytes) -> bytes:
        self.hash.update(data)
        return data


def _is_unit(vectors: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows an encoder has made as long as float32 can: they stay bit for bit, and so does every near tie that VPRAG decides."""
    if vectors.dtype != np.float32:
        return np.zeros(len(vectors), np.bool_)
    flags: NDArray[np.bool_] = np.abs(np.sqrt(np.square(vectors.astype(np.float64)).sum(axis=1)) - 1) <= 2.0**-22
    return flags


@contextmanager
def _replacing(path: Path) -> Iterator[io.BufferedRandom]:
    """A new file that takes the place of `path` if all went well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with temporary.open("x+b") as file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
