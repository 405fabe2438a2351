"""A checksum over every byte of a Parquet file, inside the file: a flipped bit anywhere is found, also in headers and the footer.

The file is written with 64 zeros as its metadata value `mien.sha256`; the digest of those bytes then takes the zeros' place.
"""

from __future__ import annotations

import hashlib

KEY = "mien.sha256"
UNSEALED = "0" * 64
_GAP = 16
"""Bytes between the key and its value at most: a field header and a length."""


def sealed(data: bytes) -> bytes:
    """`data` with its digest in place. Raises ValueError if the zeros are not there."""
    start = _value_at(data)
    if start is None or data[start : start + 64] != UNSEALED.encode():
        raise ValueError("no place for a seal")
    return data[:start] + hashlib.sha256(data).hexdigest().encode() + data[start + 64 :]


def is_intact(data: bytes) -> bool:
    """Whether the bytes are exactly those that were sealed."""
    start = _value_at(data)
    if start is None:
        return False
    view = memoryview(data)
    digest = hashlib.sha256(view[:start])
    digest.update(UNSEALED.encode())
    digest.update(view[start + 64 :])
    return digest.hexdigest().encode() == bytes(view[start : start + 64])


def _value_at(data: bytes) -> int | None:
    """Where the value stands: 64 hex digits shortly behind the key's last occurrence (the footer ends the file)."""
    key = data.rfind(KEY.encode())
    if key < 0:
        return None
    after = key + len(KEY)
    for start in range(after, min(after + _GAP, len(data) - 64)):
        if all(byte in b"0123456789abcdef" for byte in data[start : start + 64]):
            return start
    return None
