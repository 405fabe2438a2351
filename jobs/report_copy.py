"""A run's report in a local folder: a browser opens no object store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.errors import Missing, UsageError
from engine.store import names
from engine.store.backend import Backend
from engine.store.folder import FolderBackend
from jobs.reporting import page_uri
from jobs.suggest import command


def copy_report(backend: Backend, run: str, folder: Path) -> Path:
    """Copy the report of run id `run` into `folder`, over what is there; returns the page's path.

    Raises Missing if there is no report, UsageError if the folder cannot be written or a link in it leads out of it.
    """
    prefix = names.run(run, "report") + "/"
    page = folder / "index.html"
    found = backend.list(prefix)
    if f"{prefix}{page.name}" not in found:
        raise Missing(f"Run {run} has no report yet.", remedy="Make one with `mien report`.")
    for name, data in backend.read_many(found):
        try:
            _write(folder, name.removeprefix(prefix), data)
        except OSError as error:
            raise UsageError(f"{folder} cannot hold the report: {error.strerror or error}.", remedy="Choose another --out.") from error
    return page


def _write(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{path} leads out of {folder}.", remedy="Choose another --out.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def whereabouts(backend: Backend, run: str, name: str, store: str) -> Iterator[str]:
    """Lines that say where the page of run id `run` is, and how to look at one that lies in no folder."""
    yield f"Report: {page_uri(backend, run)}"
    if not isinstance(backend, FolderBackend):
        yield f"To look at it: {command('report', name, store)} --out FOLDER"
