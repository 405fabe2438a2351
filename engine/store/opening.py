"""From a URI to a backend that is known to keep the store's one promise."""

from __future__ import annotations

import secrets
from pathlib import Path

from engine.errors import StoreError, StoreUnusable, UsageError
from engine.store.backend import Backend
from engine.store.folder import FolderBackend


def open_backend(uri: str) -> Backend:
    """The backend of a store URI: a folder path, or file://. Writes nothing."""
    if not uri.strip():
        raise UsageError("--store is empty.", remedy="Name a folder, such as mien-store.")
    scheme, separator, rest = uri.partition("://")
    if not separator:
        return FolderBackend(Path(uri).expanduser())
    if scheme == "file":
        return FolderBackend(Path(rest))
    raise UsageError(f"The store '{uri}' has an unknown scheme '{scheme}'.", remedy="Use a folder path.")


def probe(backend: Backend) -> None:
    """Refuse a store without atomic create-if-absent: the second create of a random name must fail and change nothing (STORAGE, rule 2)."""
    name = f"probe-{secrets.token_hex(16)}"
    first, second = b"first", b"second"
    try:
        _probe(backend, name, first, second)
    except StoreUnusable:
        raise
    except StoreError as error:
        raise StoreUnusable(f"The store {backend.uri} cannot be written: {error.message}", remedy="Choose another --store.") from error


def _probe(backend: Backend, name: str, first: bytes, second: bytes) -> None:
    try:
        if not backend.create(name, first):
            raise StoreUnusable(f"The store {backend.uri} says a new random name exists already.", remedy="Choose another --store.")
        if backend.create(name, second) or backend.read(name) != first:
            raise StoreUnusable(
                f"The store {backend.uri} overwrites a file that exists, so two workers could replace each other's results.",
                remedy="Choose a store with create-if-absent (a local disk, or S3 with If-None-Match).",
            )
    finally:
        backend.delete(name)
