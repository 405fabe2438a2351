"""What every file in a store is called (STORAGE, Layout).

Every part is made from hashes, stage names of our own and checked run names; ids from data never become a path.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from engine.errors import UsageError

SHORT = 16
"""Hex characters of a hash that stand in a name; the full hash stands inside the file."""

_PART = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_HEX = re.compile(r"[0-9a-f]+")
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


def stage(stage_id: str) -> str:
    """The readable recipe of a stage."""
    return checked(f"stages/{stage_id}.json")


def object_(stage_id: str, digest: str, kind: str) -> str:
    """An expensive single result of a stage, under a key of its own; `kind` is its ending, such as "json"."""
    return checked(f"objects/{stage_id}/{digest[:2]}/{digest}.{kind}")


def run(run_id: str, *parts: str) -> str:
    """A file of a run."""
    return checked("/".join(("runs", run_id, *parts)))


def name(run_name_: str) -> str:
    """The file that binds a human name to a run id."""
    return checked(f"names/{run_name(run_name_)}.json")


def lease(run_id: str, epoch: int, kind: str) -> str:
    """The "json" (claim) or "beat" of the `epoch`-th driver of a run."""
    return run(run_id, "lease", f"{epoch:08d}.{kind}")


def probe() -> str:
    """A new name for trying a store out; `mien gc` clears it away should its maker be killed."""
    return f"probe-{secrets.token_hex(16)}"


def quarantine(original: str, digest: str) -> str:
    """Where a corrupt file is kept for inspection, named by its content."""
    return checked(f"quarantine/{short(digest)}/{original.replace('/', '.')}")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a name says of its file: a kind of `_LAYOUT` ("" for a file of somebody else) and what that kind's names hold."""

    kind: str
    stage: str = ""
    shard: str = ""
    """Short; of a quarantined file: of the result that it was."""
    overlay: int = 0
    run: str = ""
    epoch: int = 0


_LAYOUT = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "result": r"results/(?P<stage>[^/]+)/(?P<shard>[0-9a-f]{16})(?:\.r(?P<overlay>[1-9][0-9]*))?\.parquet",
        "object": r"objects/(?P<stage>[^/]+)/[0-9a-f]{2}/[0-9a-f]+\.[a-z0-9]+",
        "recipe": r"stages/(?P<stage>[^/]+)\.json",
        "quarantine": r"quarantine/[0-9a-f]{16}/[^/]+?(?:\.(?P<shard>[0-9a-f]{16})(?:\.r[0-9]+)?\.parquet)?",
        "probe": r"probe-[0-9a-f]{32}",
        "plan": r"runs/(?P<run>[0-9a-f]{16})/plan\.json",
        "claim": r"runs/(?P<run>[^/]+)/lease/(?P<epoch>[0-9]{8})\.json",
        "run": r"runs/(?P<run>[^/]+)/.+",
        "name": r"names/[^/]+\.json",
    }.items()
}


def parse(name: str) -> Parsed:
    """What `name` is: the reverse of the functions above."""
    for kind, pattern in _LAYOUT.items():
        if match := pattern.fullmatch(name):
            found = {key: value or "" for key, value in match.groupdict().items()}
            overlay, epoch = (int(found.get(number) or 0) for number in ("overlay", "epoch"))
            return Parsed(kind, found.get("stage", ""), found.get("shard", ""), overlay, found.get("run", ""), epoch)
    return Parsed("")
