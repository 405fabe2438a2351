"""What this machine gives: disk, file descriptors, shared memory."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from pathlib import Path

from engine.store.backend import Backend
from engine.store.folder import FolderBackend
from jobs.doctor.finding import Finding
from jobs.local_ray import OBJECT_STORE_BYTES

GIB = 2**30
STORE_WARNS_BYTES = 2 * GIB
RAY_WARNS_SHARE = 0.90
RAY_REFUSES_SHARE = 0.95
"""Ray starts no task on a node whose disk is fuller (its local_fs_capacity_threshold)."""
FILES_WARN = 4096


def check_store_disk(backend: Backend) -> Finding:
    """Room for a store in a folder; others are not on this machine."""
    if not isinstance(backend, FolderBackend):
        return Finding("disk of the store", "ok", "not on this machine.")
    usage = shutil.disk_usage(_existing(backend.root))
    told = f"{usage.free / GIB:.1f} GiB free for the store."
    if usage.free < STORE_WARNS_BYTES:
        return Finding("disk of the store", "warn", told, "Free some space, run `mien gc`, or choose another --store.")
    return Finding("disk of the store", "ok", told)


def check_ray_disk(folder: Path | None = None) -> Finding:
    """Room for Ray's temporary files (sessions, logs, spilled objects)."""
    folder = folder or Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())
    usage = shutil.disk_usage(_existing(folder))
    share = 1 - usage.free / usage.total
    told = f"{usage.free / GIB:.1f} GiB free for Ray in {folder}, {share:.0%} used."
    remedy = "Free some space there, or set RAY_TMPDIR to a folder on another disk: Ray starts no task on a disk over 95% full."
    if share >= RAY_REFUSES_SHARE:
        return Finding("disk of Ray", "fail", told, remedy)
    return Finding("disk of Ray", "warn", told, remedy) if share >= RAY_WARNS_SHARE else Finding("disk of Ray", "ok", told)


def check_open_files() -> Finding:
    """File descriptors that a process may have; Ray raises the soft limit to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = "unlimited" if hard == resource.RLIM_INFINITY else str(hard)
    told = f"{soft} open files a process, {most} at most."
    if hard != resource.RLIM_INFINITY and hard < FILES_WARN:
        return Finding("open files", "warn", told, "Raise the hard limit (`ulimit -Hn 65536`, limits.conf or the container's ulimits).")
    return Finding("open files", "ok", told)


def check_shared_memory(folder: Path = Path("/dev/shm")) -> Finding:
    """Shared memory for Ray's object store, which else lies on a disk and is slow."""
    if not folder.is_dir():
        return Finding("shared memory", "warn", f"There is no {folder}; Ray's object store will lie on a disk.", "Nothing to do on macOS.")
    free = shutil.disk_usage(folder).free
    told = f"{free / GIB:.2f} GiB free in {folder}."
    if free < OBJECT_STORE_BYTES:
        return Finding("shared memory", "warn", told, "Give the container more: `docker run --shm-size=1g`.")
    return Finding("shared memory", "ok", told)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(each for each in (folder.absolute(), *folder.absolute().parents) if each.is_dir())
