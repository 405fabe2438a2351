"""One copy of an index on each node: where a store is a folder the object itself, elsewhere one download under a file lock.

No file is trusted for its name: its sha256 is compared each time a process asks for it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from engine.errors import CorruptObject, Missing
from engine.keys import file_sha256, sha256
from engine.store.backend import Backend
from engine.store.folder import FolderBackend

SUFFIX = ".safetensors"


def commit_index(backend: Backend, name: str, path: Path) -> str:
    """Store the index file at `path` as the object `name` unless it is there; the sha256 of what stands there now.

    The bytes are a function of the people, so contenders bring the same; a different winner's is the one to use from then on
    (STORAGE, rule 2). One single put, which S3 takes up to 5 GB: 3.2 million captions of 384 numbers. Raises StoreError.
    """
    data = path.read_bytes()
    return sha256(data if backend.create(name, data) else backend.read(name))


def ensure_local(backend: Backend, name: str, expected: str, *, cache: Path | None = None) -> Path:
    """A file on this node that holds the object `name`, whose sha256 is `expected`; safe from any number of processes at once.

    `cache` is a folder for downloads, `~/.cache/mien/indexes` (or below XDG_CACHE_HOME) if not given; all processes of a node must give
    the same. Raises Missing, CorruptObject if the store's bytes are others, StoreError.
    """
    if isinstance(backend, FolderBackend):
        return _of_folder(Path(backend.locate(name)), name, expected)
    from filelock import FileLock

    folder = cache or _cache()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{expected}{SUFFIX}"
    with FileLock(folder / f"{expected}.lock"):
        if not _holds(path, expected):  # absent, or damaged since
            _download(backend, name, expected, path)
    return path


def _of_folder(path: Path, name: str, expected: str) -> Path:
    if not path.is_file():
        raise Missing(f"There is no {name} in the store.", remedy="Run the stage that builds it.")
    if not _holds(path, expected):
        raise _differs(name, expected)
    return path


def _download(backend: Backend, name: str, expected: str, path: Path) -> None:
    data = backend.read(name)
    if sha256(data) != expected:
        raise _differs(name, expected)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _holds(path: Path, expected: str) -> bool:
    return path.is_file() and file_sha256(path) == expected


def _differs(name: str, expected: str) -> CorruptObject:
    return CorruptObject(
        f"{name} in the store does not have the sha256 {expected[:16]}... that was recorded for it.",
        remedy="Delete it; the stage that builds it writes it again.",
    )


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mien" / "indexes"
