"""The file of the caption memory of all people: one matrix of unit vectors that processes share by mapping it, and who owns each row.

It is a safetensors file with its tensors in a fixed order and the matrix at a page's start:

    vectors   (n, d) float32, rows of length 1, people in plan order
    offsets   (p + 1,) int64, person i owns rows offsets[i]:offsets[i + 1]
    flat      (z,) int64, rows without direction, all zeros
    digests   (n, 32) uint8, sha256 of each caption's text; (0, 32) if none were given
    people    uint8, canonical JSON {"clusters": [...], "keys": [...]}

The header's metadata hold the encoder's id and a sha256 over all else. The same people give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import CorruptObject, InputError, Missing, StoreError
from engine.keys import sha256

FORMAT = "mien.caption-index"
VERSION = "1"
DATA_AT = 4096
"""Where the matrix begins: a page, so that rows are aligned for vector instructions too."""
TENSORS = {"vectors": "F32", "offsets": "I64", "flat": "I64", "digests": "U8", "people": "U8"}
NUMPY: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8"), "U8": np.dtype("u1")}

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class CaptionIndex:
    """An open index: rows are views of the mapped file, so the operating system holds one copy for all processes of a node."""

    path: Path
    encoder: str
    people: tuple[str, ...]
    clusters: tuple[str, ...]
    vectors: Rows
    offsets: NDArray[np.int64]
    flat: NDArray[np.int64]
    digests: NDArray[np.uint8] | None
    _places: dict[str, int] = field(repr=False)

    @property
    def dimension(self) -> int:
        """d, the length of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def cluster_numbers(self) -> NDArray[np.int64]:
        """(p,) a number for each person's cluster, equal where the clusters are."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in self.clusters], np.int64)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """(n,) which captions have a direction."""
        flags = np.ones(len(self.vectors), np.bool_)
        flags[self.flat] = False
        return flags

    def place(self, person: str) -> int:
        """The position of a person. Raises InputError (`unknown-person`)."""
        try:
            return self._places[person]
        except KeyError:
            raise InputError(
                f"The index holds no person {person!r}.", remedy="Build it from this run's people.", code="unknown-person"
            ) from None

    def span(self, place: int) -> slice:
        """The rows of the person at a position."""
        return slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def captions(self, person: str) -> Rows:
        """(m, d) a person's vectors, a view. Raises InputError (`unknown-person`)."""
        return self.vectors[self.span(self.place(person))]

    def owners(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The positions of the people who own `rows`, in the same shape."""
        owners: NDArray[np.int64] = np.searchsorted(self.offsets, rows, side="right").astype(np.int64) - 1
        return owners

    def cluster_of(self, person: str) -> tuple[str, ...]:
        """Everyone of a person's bootstrap cluster, themselves included. Raises InputError (`unknown-person`)."""
        numbers = self.cluster_numbers
        return tuple(self.people[i] for i in np.flatnonzero(numbers == numbers[self.place(person)]))


def header(shapes: Mapping[str, Sequence[int]], encoder: str, digest: str) -> bytes:
    """The first `DATA_AT` bytes. Raises InputError for an encoder's id that does not fit there."""
    written: dict[str, Any] = {"__metadata__": {"encoder": encoder, "format": FORMAT, "sha256": digest, "version": VERSION}}
    for name, (start, end) in spans(shapes).items():
        written[name] = {"dtype": TENSORS[name], "shape": list(shapes[name]), "data_offsets": [start, end]}
    text = json.dumps(written, separators=(",", ":")).encode()
    if len(text) > DATA_AT - 8:
        raise InputError(f"the encoder's id has {len(encoder)} characters.", field="encoder", remedy="Use a shorter one.")
    return (DATA_AT - 8).to_bytes(8, "little") + text.ljust(DATA_AT - 8)


def spans(shapes: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, int]]:
    """Where each tensor begins and ends, in bytes behind the header."""
    found, end = {}, 0
    for name, kind in TENSORS.items():
        start, end = end, end + NUMPY[kind].itemsize * math.prod(shapes[name])
        found[name] = (start, end)
    return found


def seal(shapes: Mapping[str, Sequence[int]], encoder: str, data_sha256: bytes) -> str:
    """The sha256 in the metadata: of the header without it, and of what stands behind the header."""
    return sha256(header(shapes, encoder, "") + data_sha256)


def open_index(path: Path, *, verify: bool = True) -> CaptionIndex:
    """Map an index; `verify` reads it once and compares its sha256, which a file that `ensure_local` gave has behind it.

    Raises Missing, CorruptObject for a file that is truncated, damaged or something else, StoreError for one that cannot be read.
    """
    try:
        with path.open("rb") as file:
            shapes, encoder, digest = _described(path, file.read(DATA_AT), os.fstat(file.fileno()).st_size)
            if verify and seal(shapes, encoder, hashlib.file_digest(file, "sha256").digest()) != digest:
                raise _corrupt(path, "its bytes differ from those that were written")
        tables = {name: _mapped(path, DATA_AT + start, NUMPY[TENSORS[name]], shapes[name]) for name, (start, _) in spans(shapes).items()}
    except FileNotFoundError:
        raise Missing(f"There is no index {path}.", remedy="Build it from the committed results.") from None
    except OSError as error:
        raise StoreError(f"The index {path} cannot be read: {error.strerror or error}.") from error
    return _opened(path, encoder, tables)


def _corrupt(path: Path, reason: str) -> CorruptObject:
    return CorruptObject(f"{path} is no intact caption index: {reason}.", remedy="Delete it; it is fetched or built again.")


def _described(path: Path, head: bytes, size: int) -> tuple[dict[str, tuple[int, ...]], str, str]:
    """The tensors' shapes, the encoder and the sha256, from a header that is exactly the one we would write of them."""
    try:
        written = json.loads(head[8:])
        shapes = {name: tuple(int(length) for length in written[name]["shape"]) for name in TENSORS}
        encoder, digest = (str(written["__metadata__"][name]) for name in ("encoder", "sha256"))
        end = max(end for _, end in spans(shapes).values())
        ours = min(map(min, shapes.values())) >= 0 and header(shapes, encoder, digest) == head
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
        raise _corrupt(path, f"its header cannot be read ({error})") from error
    if not ours:
        raise _corrupt(path, "its header is not one of this version")
    if size != DATA_AT + end:
        raise _corrupt(path, f"it has {size} bytes instead of {DATA_AT + end}")
    return shapes, encoder, digest


def _mapped(path: Path, start: int, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if not math.prod(shape):
        return np.zeros(shape, kind)  # nothing can be mapped
    return np.memmap(path, kind, "r", start, shape).view(np.ndarray)


def _opened(path: Path, encoder: str, tables: dict[str, NDArray[Any]]) -> CaptionIndex:
    try:
        names = json.loads(tables["people"].tobytes())
        people, clusters = tuple(names["keys"]), tuple(names["clusters"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _corrupt(path, f"its people cannot be read ({error})") from error
    vectors, offsets, flat, digests = (tables[name] for name in ("vectors", "offsets", "flat", "digests"))
    fits = (
        (vectors.ndim, offsets.ndim, flat.ndim, digests.ndim, tables["people"].ndim) == (2, 1, 1, 2, 1)
        and digests.shape[1] == 32
        and len(people) == len(clusters) == len(offsets) - 1
        and offsets[0] == 0
        and offsets[-1] == len(vectors)
        and (np.diff(offsets) >= 0).all()
        and (not len(flat) or (flat.min() >= 0 and flat.max() < len(vectors)))
        and len(digests) in (0, len(vectors))
    )
    if not fits:
        raise _corrupt(path, "its tables do not fit one another")
    places = {person: place for place, person in enumerate(people)}
    # Small tables are read once instead of being faulted in row by row.
    return CaptionIndex(
        path, encoder, people, clusters, vectors, np.array(offsets), np.array(flat), digests if len(digests) else None, places
    )
