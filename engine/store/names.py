"""What every file in a store is called (STORAGE, Layout).

Every part is made from hashes, stage names of our own and checked run names; ids from data never become a path.
"""

from __future__ import annotations

import re

from engine.errors import UsageError

SHORT = 16
"""Hex characters of a hash that stand in a name; the full hash stands inside the file."""

_PART = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_HEX = re.compile(r"[0-9a-f]+")
_RESULT = re.compile(r"(?P<shard>[0-9a-f]{16})(?:\.r(?P<overlay>[1-9][0-9]*))?\.parquet")
_SET_ASIDE = re.compile(r"\.(?P<shard>[0-9a-f]{16})(?:\.r[0-9]+)?\.parquet$")
_RUN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def checked(name: str) -> str:
    """`name` if each of its parts is safe on every medium. Raises ValueError otherwise: names are ours, so this is a bug."""
    if not all(_PART.fullmatch(part) for part in name.split("/")):
        raise ValueError(f"unsafe storage name {name!r}")
    return name


def short(digest: str) -> str:
    """The part of a hex digest that stands in names."""
    if not _HEX.fullmatch(digest) or len(digest) < SHORT:
        raise ValueError(f"not a hex digest: {digest!r}")
    return digest[:SHORT]


def is_run_name(name: str) -> bool:
    """Whether a run may be called that."""
    return _RUN_NAME.fullmatch(name) is not None


def run_name(name: str) -> str:
    """`name` if a run may be called that. Raises UsageError with the rule otherwise."""
    if not is_run_name(name):
        raise UsageError(f"'{name}' cannot be a run name.", remedy="Use lower-case letters, digits and dashes, 63 at most.")
    return name


def results_prefix(stage_id: str) -> str:
    """The folder of a stage's results."""
    return checked(f"results/{stage_id}") + "/"


def result(stage_id: str, shard: str, overlay: int = 0) -> str:
    """The result of a stage on a shard; `overlay` n holds only the units of the n-th retry."""
    suffix = f".r{overlay}" if overlay else ""
    return checked(f"results/{stage_id}/{short(shard)}{suffix}.parquet")


def parse_result(name: str) -> tuple[str, int] | None:
    """(short shard, overlay) of a result's name, or None if it is not one."""
    match = _RESULT.fullmatch(name.rsplit("/", 1)[-1])
    return (match["shard"], int(match["overlay"] or 0)) if match else None


def stage(stage_id: str) -> str:
    """The readable recipe of a stage."""
    return checked(f"stages/{stage_id}.json")


def run(run_id: str, *parts: str) -> str:
    """A file of a run."""
    return checked("/".join(("runs", run_id, *parts)))


def name(run_name_: str) -> str:
    """The file that binds a human name to a run id."""
    return checked(f"names/{run_name(run_name_)}.json")


def shard_set_aside(name: str) -> str | None:
    """The short shard of a result that stands in quarantine under `name`, or None."""
    match = _SET_ASIDE.search(name)
    return match["shard"] if match else None


def quarantine(original: str, digest: str) -> str:
    """Where a corrupt file is kept for inspection, named by its content."""
    return checked(f"quarantine/{short(digest)}/{original.replace('/', '.')}")
