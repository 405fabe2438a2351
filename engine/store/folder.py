"""The store on a folder: temporary file, fsync, hard link to the final name, fsync of the folder (STORAGE, rule 2)."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import Missing, StoreError, StoreUnusable
from engine.store.backend import Aged, is_storable
from engine.store.names import checked

TEMPORARY = ".tmp"

_REMEDIES = {
    errno.ENOSPC: "The disk is full: free some space or choose another --store, then run the same command again; finished work is kept.",
    errno.EDQUOT: "The disk quota is used up: free some space or choose another --store, then run the same command again.",
    errno.EACCES: "You may not write there: change its permissions or choose another --store.",
    errno.EPERM: "You may not write there: change its permissions or choose another --store.",
    errno.EROFS: "That disk is read-only: choose another --store.",
    errno.ENOTDIR: "A part of that path is a file: choose another --store.",
    errno.ENOENT: "That folder cannot be made, or was removed meanwhile: choose another --store.",
    errno.EOPNOTSUPP: "That file system has no hard links, which create-if-absent needs: choose another --store.",
}


@contextmanager
def _storage_errors(uri: str, name: str) -> Iterator[None]:
    """Turn an OSError into an error that says what to do."""
    try:
        yield
    except OSError as error:
        kind = StoreUnusable if error.errno in _REMEDIES else StoreError
        remedy = _REMEDIES.get(error.errno or 0, "Run the same command again; finished work is kept.")
        raise kind(f"The store {uri} cannot hold {name}: {error.strerror or error}.", remedy=remedy) from error


class FolderBackend:
    """A store under one folder; made on first write."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.uri = str(self.root)

    @property
    def requests(self) -> Mapping[str, int]:
        return {}

    def create(self, name: str, data: bytes) -> bool:
        path = self._path(name)
        with _storage_errors(self.uri, name), self._temporary(data) as temporary:
            while True:
                _make_folder(path.parent)
                try:
                    os.link(temporary, path)
                except FileExistsError:
                    with suppress(FileNotFoundError):  # deleted since: try again
                        return path.read_bytes() == data
                else:
                    _sync_folder(path.parent)
                    return True

    def replace(self, name: str, data: bytes) -> None:
        path = self._path(name)
        with _storage_errors(self.uri, name), self._temporary(data) as temporary:
            _make_folder(path.parent)
            os.replace(temporary, path)

    def read(self, name: str) -> bytes:
        with self._reading(name):
            return self._path(name).read_bytes()

    def tail(self, name: str, size: int) -> bytes:
        with self._reading(name), self._path(name).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - size))
            return file.read(size)

    def read_many(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            yield name, self.read(name)

    def ages(self, prefix: str) -> list[Aged]:
        found = self.list(prefix)
        if not found:
            return []
        with _storage_errors(self.uri, prefix), self._temporary(b"") as temporary:
            now = temporary.stat().st_mtime  # the clock that dated the files, which may be a file server's
            dated = [(name, status) for name in found if (status := _status(self._path(name)))]
        return [Aged(name, status.st_size, max(0.0, now - status.st_mtime)) for name, status in dated]

    def list(self, prefix: str) -> list[str]:
        top = self._path(prefix.rstrip("/")) if prefix else self.root
        found: list[str] = []
        with _storage_errors(self.uri, prefix):
            for base, _, files in os.walk(top, onerror=_raise_unless_absent):
                folder = Path(base).relative_to(self.root)
                found.extend(filter(is_storable, ((folder / file).as_posix() for file in files)))
        return sorted(found)

    def delete(self, name: str) -> None:
        with _storage_errors(self.uri, name), suppress(FileNotFoundError, NotADirectoryError):
            self._path(name).unlink()

    def with_patience(self, seconds: float) -> FolderBackend:
        return self  # a disk is never waited for

    def locate(self, name: str) -> str:
        return str(self._path(name))

    def _path(self, name: str) -> Path:
        return self.root / checked(name)

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise Missing(f"There is no {name} in the store {self.uri}.") from None
        except OSError as error:
            raise StoreError(f"The store {self.uri} cannot read {name}: {error.strerror}.") from error

    @contextmanager
    def _temporary(self, data: bytes) -> Iterator[Path]:
        """A durable file with `data` on the same file system, gone afterwards."""
        folder = self.root / TEMPORARY
        _make_folder(folder)
        path = folder / f"{os.getpid()}-{secrets.token_hex(8)}"
        try:
            with path.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            yield path
        finally:
            path.unlink(missing_ok=True)


def _make_folder(folder: Path) -> None:
    """Make a folder and its parents, each durable in its own parent. Raises NotADirectoryError if a part of the path is a file."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make_folder(folder.parent)
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
        return
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _status(path: Path) -> os.stat_result | None:
    """None if the file was deleted since it was listed."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return path.stat()
    return None


def _raise_unless_absent(error: OSError) -> None:
    """A listing that failed must not read as "nothing is done"; a folder that is not there yet is empty."""
    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
        raise error
