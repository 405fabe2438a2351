"""`mien doctor`: every check, in one list."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from engine.errors import UsageError
from engine.store.backend import Backend
from engine.store.opening import open_backend
from jobs.console import Console
from jobs.doctor.cluster import check_cluster
from jobs.doctor.finding import Finding, failed
from jobs.doctor.machine import check_open_files, check_ray_disk, check_shared_memory, check_store_disk
from jobs.doctor.models import check_models
from jobs.doctor.packages import check_packages
from jobs.doctor.store import check_clock, check_probe, check_race, left_as_found
from jobs.doctor.working_dir import check_working_dir


def doctor_command(experiment: Path | None, *, store: str, address: str, as_json: bool) -> int:
    """Run every check and tell each finding as it comes; 1 if one failed, else 0."""
    console = Console(as_json=as_json)
    counts = {"ok": 0, "warn": 0, "fail": 0}
    for finding in _checks(console, experiment, store, address):
        counts[finding.status] += 1
        console.say(f"{finding.status:<5} {finding.check:<18} {finding.says}")
        if finding.remedy:
            console.say(f"{'':<25}{finding.remedy}")
        console.event("check", **asdict(finding))
    code = 1 if counts["fail"] else 0
    console.say(summary(counts))
    console.event("done", **counts, exit_code=code)
    return code


def summary(counts: Mapping[str, int]) -> str:
    """How many findings have which status, in words."""
    warnings = "1 warning" if counts["warn"] == 1 else f"{counts['warn']} warnings"
    return f"{counts['ok']} ok, {warnings}, {counts['fail']} failed"


def _checks(console: Console, experiment: Path | None, store: str, address: str) -> Iterator[Finding]:
    encoder, models = check_models(experiment)  # first: a bad experiment file is a usage error
    yield from check_packages()
    backend = None
    try:
        backend = open_backend(store)
    except UsageError as error:
        yield failed("store", error)
    with left_as_found(backend):
        usable = yield from _store_checks(console, backend)
        yield check_ray_disk()
        yield check_open_files()
        yield check_shared_memory()
        yield models
        yield check_working_dir()
        if usable:
            yield from check_cluster(address, usable, encoder)
        elif address:
            yield Finding("cluster", "warn", "not looked at, since the store cannot be written.", "Mend the store first.")


def _store_checks(console: Console, backend: Backend | None) -> Generator[Finding, None, Backend | None]:
    """Returns the backend if it can be used; what hangs on a store is not looked at without one."""
    if backend is None:
        return None
    written = check_probe(backend)
    yield written
    if written.status != "ok":
        return None
    with console.progress("racing", "rounds") as bar:
        race = check_race(backend, notice=bar.set)
    yield race
    yield check_clock(backend)
    yield check_store_disk(backend)
    return backend
