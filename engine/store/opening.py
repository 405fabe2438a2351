"""From a URI to a backend that is known to keep the store's one promise."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from engine.errors import StoreError, StoreUnusable, UsageError
from engine.store import names
from engine.store.backend import Backend
from engine.store.folder import FolderBackend

_ONE_SLASH = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+):(?P<rest>/.*)", re.DOTALL)
"""A URI that lacks a slash. One letter alone is a drive of Windows."""


def open_backend(uri: str, *, proven: bool = False) -> Backend:
    """The backend of a store URI: a folder path, file:// or s3://. Writes nothing. Raises UsageError.

    `proven`: another process used this very store, so a server that never answered this one is away rather than a wrong address.
    """
    if not uri.strip():
        raise UsageError("--store is empty.", remedy="Name a folder, such as mien-store.")
    scheme, separator, rest = uri.partition("://")
    if not separator:
        if one_slash := _ONE_SLASH.fullmatch(uri):
            raise _lacks_a_slash(one_slash["scheme"], one_slash["rest"])
        return FolderBackend(_at_home(uri))
    if scheme == "file":
        return FolderBackend(Path(rest))
    if scheme == "s3":
        from engine.store.s3 import S3Backend

        return S3Backend(uri, proven=proven)
    raise _unknown(scheme)


def _unknown(scheme: str) -> UsageError:
    # Neither the rest of the URI nor a user in it is repeated: it may hold credentials.
    return UsageError(f"The store has an unknown scheme '{scheme}'.", remedy="Use a folder path, or s3://bucket/prefix.")


def _lacks_a_slash(scheme: str, rest: str) -> UsageError:
    """What else would make a folder that is called by the scheme. Raises UsageError if the URI is wrong in another way, too."""
    if scheme not in ("s3", "file"):
        return _unknown(scheme)
    meant = f"file://{rest}"
    if scheme == "s3":
        from engine.store.s3_address import S3Address

        meant = S3Address.parse(f"s3:/{rest}").uri  # refuses credentials, so none is repeated
    return UsageError(f"The store {scheme}:/... lacks a slash: did you mean {meant}?", remedy=f"A folder of that name is ./{scheme}:/...")


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(f"There is no home folder for the store {path}.", remedy="Name it by its whole path.") from None


def probe(backend: Backend) -> None:
    """Refuse a store without atomic create-if-absent: the second create of a random name must fail and change nothing (STORAGE, rule 2)."""
    name = names.probe()
    try:
        _probe(backend, name)
        backend.delete(name)
    except StoreUnusable:
        with suppress(StoreError):  # the first error is the one to tell
            backend.delete(name)
        raise
    except StoreError as error:
        raise StoreUnusable(
            f"The store {backend.uri} cannot be written: {error.message}", remedy=error.remedy or "Choose another --store."
        ) from error


def _probe(backend: Backend, name: str) -> None:
    if not backend.create(name, b"first"):
        raise StoreUnusable(f"The store {backend.uri} says a new random name exists already.", remedy="Choose another --store.")
    if backend.create(name, b"second") or backend.read(name) != b"first":
        raise StoreUnusable(
            f"The store {backend.uri} overwrites a file that exists, so two workers could replace each other's results.",
            remedy="Choose a store with create-if-absent (a local disk, or S3 with If-None-Match).",
        )
