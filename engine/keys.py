"""Content keys and the seeds derived from them.

A key is the sha256 of canonical JSON (RFC 8785), so it is the same on every machine, Python and run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import rfc8785

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def canonical(value: Json) -> bytes:
    """Canonical JSON of `value`, UTF-8 (RFC 8785). Raises ValueError for NaN, infinity and lone surrogates."""
    return rfc8785.dumps(value)


def sha256(data: bytes) -> str:
    """Hex sha256 of `data`, 64 characters."""
    return hashlib.sha256(data).hexdigest()


def content_key(value: Json) -> str:
    """The key of a JSON value: sha256 of its canonical form, 64 hex characters."""
    return sha256(canonical(value))


def file_sha256(path: Path) -> str:
    """Hex sha256 of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seed_of(*parts: str) -> int:
    """A 63-bit seed from strings (keys, fingerprints, purposes): equal parts give equal seeds on every machine."""
    return int(content_key(list(parts))[:16], 16) >> 1
