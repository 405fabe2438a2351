"""`mien gc`: what a store holds that no plan names, and its removal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from engine.store.at_work import WATCH_S, Drivers, Held, refuse_at_work
from engine.store.backend import Backend
from engine.store.collecting import DAY_S, Findings, Leftover, Named, Plans, Tally, leftovers, sort_out, still_unnamed
from jobs.console import Console
from jobs.opened_run import open_existing

BATCH = 500
"""Files that are deleted between two looks at beats and plans."""
AT_ONCE = 8
SHOWN = 10
"""Files that are not ours and are named; --json has them all."""


class Collection:
    """One look through a store, and the deletions that follow from it. Raises LeaseHeld as soon as a beat moves."""

    def __init__(self, backend: Backend, older_than_s: float, console: Console) -> None:
        self._backend, self._older_than_s, self._console = backend, older_than_s, console
        self._drivers, self._plans = Drivers(backend), Plans(backend)
        self._held: Held = {}

    def look(self, watch_s: float) -> tuple[Findings, list[Leftover]]:
        """What may go (and temporary files of a folder); waits `watch_s` if a lease may be held."""
        self._held = self._drivers.look(self._backend.list("runs/"))
        if self._held:
            self._wait(watch_s)
        named = self._look_again()
        return sort_out(self._backend.ages(""), named, self._older_than_s), leftovers(self._backend, self._older_than_s)

    def delete(self, findings: Findings, temporary: list[Leftover]) -> int:
        """Delete what may still go, looking again before each batch; returns the number of files."""
        deleted = 0
        with ThreadPoolExecutor(AT_ONCE) as pool, self._console.progress("deleting", "files") as bar:
            for batch in _batches(findings.going):
                going = still_unnamed(batch, self._look_again())
                deleted += len(list(pool.map(self._backend.delete, going)))
                bar.set(deleted, len(findings.going))
        for each in temporary:
            each.path.unlink(missing_ok=True)
        return deleted + len(temporary)

    def _look_again(self) -> Named:
        files = self._backend.list("runs/")
        refuse_at_work(self._held, self._drivers.look(files))
        return self._plans.named(files)

    def _wait(self, watch_s: float) -> None:
        self._console.warn(f"A driver may be at work on {', '.join(sorted(self._held))}; watching its beat for {watch_s:.0f} s.")
        started = time.monotonic()
        with self._console.progress("watching beats", "s") as bar:
            while (spent := time.monotonic() - started) < watch_s:
                bar.set(round(spent), round(watch_s))
                time.sleep(min(0.5, watch_s - spent))


def gc_command(*, store: str, delete: bool, older_than_days: int, as_json: bool, watch_s: float = WATCH_S) -> int:
    """Tell what may go, and with `delete` remove it; returns the exit code."""
    console, backend = Console(as_json=as_json), open_existing(store)
    collection = Collection(backend, older_than_days * DAY_S, console)
    findings, temporary = collection.look(watch_s)
    files, size = _tell(console, findings, temporary)
    if not delete:
        console.say(
            f"Dry run: {files} files ({_mib(size)} MiB) may go, named by no plan and over {older_than_days} days old." + _how(files)
        )
        console.event("done", deleted=0, dry_run=True, files=files, bytes=size, exit_code=0)
        return 0
    deleted = collection.delete(findings, temporary)
    console.say(f"Deleted {deleted} files.")
    console.event("done", deleted=deleted, dry_run=False, files=files, bytes=size, exit_code=0)
    return 0


def _how(files: int) -> str:
    return " Add --delete to delete them." if files else ""


def _tell(console: Console, findings: Findings, temporary: list[Leftover]) -> tuple[int, int]:
    """The table; returns the files and bytes that may go."""
    sizes = [each.size for each in temporary]
    oldest = max((each.age_s for each in temporary), default=0.0)
    tallies = {**findings.tallies, "temporary": Tally(len(sizes), sum(sizes), len(sizes), sum(sizes), oldest)}
    console.say(f"{'kind':<16}{'files':>10}{'MiB':>12}{'may go':>10}{'MiB':>12}{'oldest':>12}")
    for kind, tally in tallies.items():
        console.say(_line(kind, tally))
        console.event("kind", kind=kind, **asdict(tally))
    for name in findings.foreign[:SHOWN]:
        console.say(f"not ours, left alone: {ascii(name)[1:-1]}")
    if len(findings.foreign) > SHOWN:
        console.say(f"  and {len(findings.foreign) - SHOWN} more: --json lists them all")
    for name in findings.foreign:
        console.event("not-ours", name=name)
    return sum(tally.going for tally in tallies.values()), sum(tally.going_bytes for tally in tallies.values())


def _line(kind: str, tally: Tally) -> str:
    oldest = f"{tally.oldest_s / DAY_S:.1f} days" if tally.files else ""
    return f"{kind:<16}{tally.files:>10,}{_mib(tally.bytes):>12}{tally.going:>10,}{_mib(tally.going_bytes):>12}{oldest:>12}"


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f}"


def _batches(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (names[start : start + BATCH] for start in range(0, len(names), BATCH))
