"""What may go from a store: files that no plan names, and that are old by the server's date (STORAGE, rule 9).

Readers treat what is missing as not done yet, so even a file that was wrongly taken away costs time and never a result.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from engine.errors import CorruptObject
from engine.store import names
from engine.store.backend import Aged, Backend
from engine.store.folder import TEMPORARY, FolderBackend
from engine.store.plans import load_plan

DAY_S = 86_400.0

_KINDS = {"result": "results", "object": "objects", "recipe": "recipes", "quarantine": "quarantine", "probe": "probes", "": "not ours"}
KINDS = ("results", "objects", "recipes", "quarantine", "probes", "runs and names", "temporary", "not ours")


@dataclass(slots=True)
class Named:
    """What the plans of a store name. An overlay is named with its result, an object with its stage."""

    results: set[tuple[str, str]] = field(default_factory=set)
    """(stage id, short shard)."""
    stages: set[str] = field(default_factory=set)
    shards: set[str] = field(default_factory=set)

    def is_named(self, file: _File) -> bool:
        """Whether a plan needs the file."""
        if file.kind == "results":
            return (file.stage, file.shard) in self.results
        if file.kind == "quarantine":
            # A shard with a file in quarantine is inspected for rows that are older than what they were computed from.
            return file.shard in self.shards
        return file.stage in self.stages if file.kind in ("objects", "recipes") else file.kind != "probes"


class Plans:
    """Reads every plan of a store; each is read once, since plans never change."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._read: set[str] = set()
        self._named = Named()

    def named(self, files: Iterable[str]) -> Named:
        """What the plans among `files` (a listing of runs/), and those read before, name.

        Raises CorruptObject if a plan cannot be read: it might name anything.
        """
        for run in sorted({parsed.run for parsed in map(names.parse, files) if parsed.kind == "plan"} - self._read):
            try:
                plan = load_plan(self._backend, run)
            except CorruptObject as error:
                raise CorruptObject(
                    f"The plan of run {run} cannot be read, so nothing is deleted: it might name any file. {error.message}",
                    remedy=f"Move runs/{run} away if nobody needs that run, then run the same command again.",
                ) from error
            if plan is None:
                continue
            stages: set[str] = set(plan.identity["stages"])
            # The pool of queries is one shard more, of a stage of its own; a few names too many only keep more.
            shards = {names.short(shard.key) for shard in (plan.queries, *plan.shards)}
            self._named.stages |= stages
            self._named.shards |= shards
            self._named.results |= {(stage, shard) for stage in stages for shard in shards}
            self._read.add(run)
        return self._named


@dataclass(frozen=True, slots=True)
class _File:
    """A file by what its name says; `kind` is one of `KINDS`."""

    kind: str
    stage: str
    shard: str
    aged: Aged

    @classmethod
    def of(cls, aged: Aged) -> _File:
        """Told by its name alone."""
        parsed = names.parse(aged.name)
        return cls(_KINDS.get(parsed.kind, "runs and names"), parsed.stage, parsed.shard, aged)


@dataclass(slots=True)
class Tally:
    """Files and bytes of a kind, how many of them may go, and the age in seconds of the oldest."""

    files: int = 0
    bytes: int = 0
    going: int = 0
    going_bytes: int = 0
    oldest_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Findings:
    """A store sorted out: tallies by kind, the names that may go (recipes last), and the first names that are not ours."""

    tallies: dict[str, Tally]
    going: tuple[str, ...]
    foreign: tuple[str, ...]


def sort_out(listing: Sequence[Aged], named: Named, older_than_s: float) -> Findings:
    """What of a listing may go: no plan names it and it is at least `older_than_s` old.

    A result and its overlays go together or not at all, and a recipe stays as long as any file of its stage.
    """
    files = [_File.of(aged) for aged in listing]
    tallies = {kind: Tally() for kind in KINDS}
    going: list[_File] = []
    used: set[str] = set()
    for group in _together(file for file in files if file.kind != "recipes"):
        if all(not named.is_named(file) and file.aged.age_s >= older_than_s for file in group):
            going += group
        else:
            used |= {file.stage for file in group}
    for file in files:
        if file.kind == "recipes" and not named.is_named(file) and file.stage not in used and file.aged.age_s >= older_than_s:
            going.append(file)
    for file in files:
        tally = tallies[file.kind]
        tally.files, tally.bytes, tally.oldest_s = tally.files + 1, tally.bytes + file.aged.size, max(tally.oldest_s, file.aged.age_s)
    for file in going:
        tally = tallies[file.kind]
        tally.going, tally.going_bytes = tally.going + 1, tally.going_bytes + file.aged.size
    foreign = tuple(sorted(file.aged.name for file in files if file.kind == "not ours"))
    return Findings(tallies, tuple(file.aged.name for file in going), foreign)


def still_unnamed(going: Sequence[str], named: Named) -> list[str]:
    """Those of `going` that no plan names now: a run may have been planned since."""
    return [name for name in going if not named.is_named(_File.of(Aged(name, 0, 0.0)))]


def _together(files: Iterable[_File]) -> Iterator[list[_File]]:
    """Groups that go together: a result with its overlays; any other file alone."""

    def key(file: _File) -> tuple[str, ...]:
        return (file.stage, file.shard) if file.kind == "results" else ("", file.aged.name)

    for _, group in groupby(sorted(files, key=lambda file: (key(file), file.aged.name)), key=key):
        yield list(group)


@dataclass(frozen=True, slots=True)
class Leftover:
    """A temporary file of a folder store whose writer was killed."""

    path: Path
    size: int
    age_s: float


def leftovers(backend: Backend, older_than_s: float) -> list[Leftover]:
    """Temporary files that nobody writes any more; [] on media that have none. A writer needs its own for seconds."""
    if not isinstance(backend, FolderBackend):
        return []
    found: list[Leftover] = []
    for path in sorted((backend.root / TEMPORARY).glob("*")):
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append(Leftover(path, status.st_size, time.time() - status.st_mtime))
    return [each for each in found if each.age_s >= older_than_s]
