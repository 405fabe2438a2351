"""What scheduling, committing and surviving cost, beside stages that only wait.

    python benchmarks/scaling.py                     everything, about 25 minutes
    python benchmarks/scaling.py efficiency overlap  some of it

`efficiency_w`: seconds waited / (w workers x seconds from the first shard's begin to the last one's commit): 3,200 units of 100 ms
(log-normal, sigma .5, seeded) with real commits to a folder. `efficiency_w_whole`: the same with Ray's and the workers' start and end.
`overlap`: five stages of 20, 40, 100, 40 and 20 ms, one worker each: makespan / slowest stage. `resume_*_s`: to know what remains of
120,000 units (6,000 people x 4 tasks x 5 methods, 13,500 result files, a tenth missing). `s3_requests_per_unit`: of a VPTT run on a real
S3 server, driver and workers, per unit of any stage. `recomputed_*`: units computed twice after one node was lost (`node_loss.py`).
Ends with one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # so that workers find this package's modules by the names used here

from benchmarks import finished_store, waiting  # noqa: E402
from engine.execution_config import Pool  # noqa: E402
from engine.store.journal import read_journal  # noqa: E402
from engine.store.opening import open_backend  # noqa: E402
from engine.store.results import Results  # noqa: E402
from tests.workflows.driving import drive  # noqa: E402

LIGHT = 0.2
"""Ray CPUs of a worker that only waits: nine of them fit on two cores."""

WORKERS = (1, 2, 4, 8)


def main() -> None:
    parts = {"overlap": overlap, "requests": requests, "recomputed": recomputed, "resume": resume, "efficiency": efficiency}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="; ".join(parts))
    chosen = parser.parse_args().parts or list(parts)
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    figures: dict[str, Any] = {}
    for name in chosen:
        started = time.monotonic()
        figures |= parts[name]()
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(json.dumps(figures))


def efficiency() -> dict[str, Any]:
    identity = {"units": 3200, "shard_size": 8, "waits_ms": [100], "sigma": 0.5, "seed": 0}
    found: dict[str, Any] = {}
    for workers in reversed(WORKERS):
        ran = _wait_through(identity, {"all": Pool(min=workers, max=workers, cpus=LIGHT)})
        found[f"efficiency_{workers}"] = round(ran.waited / (workers * ran.makespan), 3)
        found[f"efficiency_{workers}_whole"] = round(ran.waited / (workers * ran.whole), 3)
        print(f"{workers} workers: {ran.waited:.1f} s waited in {ran.makespan:.1f} s", file=sys.stderr, flush=True)
    return found


def overlap() -> dict[str, Any]:
    identity = {"units": 480, "shard_size": 4, "waits_ms": [20, 40, 100, 40, 20], "sigma": 0.0, "seed": 0}
    pools = {f"waiter{number}": Pool(min=1, max=1, cpus=LIGHT) for number in range(1, 6)}
    ran = _wait_through(identity, pools)
    slowest = max(ran.by_stage.values())
    return {"overlap": round(ran.makespan / slowest, 3), "overlap_slowest_s": round(slowest, 1)}


class _Ran:
    """A run of a waiting workflow, from its journal: wall seconds by shards' own clocks, and what was waited."""

    def __init__(self, by_stage: Mapping[str, float], events: list[dict[str, Any]], whole: float) -> None:
        shards = [event for event in events if event["event"] == "shard"]
        self.by_stage, self.whole = by_stage, whole
        self.waited = sum(by_stage.values())
        self.makespan = max(event["ended"] for event in shards) - min(event["started"] for event in shards)


def _wait_through(identity: dict[str, Any], pools: dict[str, Pool]) -> _Ran:
    with tempfile.TemporaryDirectory() as folder:
        results = Results(open_backend(folder), repair=True)
        plan, workflow = waiting.plan_of(identity, results)
        started = time.monotonic()
        drive(results, plan, workflow, pools=pools)
        return _Ran(workflow.seconds(plan), list(read_journal(results.backend, plan.run)), time.monotonic() - started)


def resume() -> dict[str, Any]:
    from jobs.s3_server import LocalS3

    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        plan = finished_store.build(open_backend(folder))
        found["resume_folder_s"] = round(finished_store.seconds_to_know(open_backend(folder), plan), 2)
        with LocalS3(Path(folder) / "s3") as server, _environment(server.environment):
            backend = open_backend(server.uri("mien"))
            finished_store.build(backend)
            found["resume_s3_s"] = round(finished_store.seconds_to_know(open_backend(server.uri("mien")), plan), 2)
    return found


def requests() -> dict[str, Any]:
    """Per unit of any stage (the stage contract's), and per prompt; with the default shards of 8 people, and of 32 as for large runs."""
    from jobs.s3_server import LocalS3

    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, LocalS3(Path(folder) / "s3") as server:
        for people, shard_size in ((200, 8), (256, 32)):
            prompts = people * 4 * 5
            file = Path(folder) / "experiment.yaml"
            file.write_text(f"name: counted\nencoder: tiny-trigrams\nshard_size: {shard_size}\npeople: {{grammar: {people}}}\n")
            uri = server.uri("mien", f"shards-of-{shard_size}")
            command = [sys.executable, "-m", "jobs.cli", "run", str(file), "--store", uri]
            subprocess.run(command, check=True, cwd=HERE.parent, env={**os.environ, **server.environment}, stdout=subprocess.DEVNULL)
            with _environment(server.environment):
                backend = open_backend(uri)
                (run,) = {name.split("/")[1] for name in backend.list("runs/")}
                operations = json.loads(backend.read(f"runs/{run}/report/run.json"))["operations"]
            suffix = "" if shard_size == 8 else f"_{shard_size}"
            found[f"s3_requests_per_unit{suffix}"] = round(operations["requests"] / sum(operations["rows"].values()), 3)
            found[f"s3_requests_per_prompt{suffix}"] = round(operations["requests"] / prompts, 3)
    return found


def recomputed() -> dict[str, Any]:
    done = subprocess.run([sys.executable, str(HERE / "node_loss.py")], check=True, capture_output=True, text=True, cwd=HERE.parent)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


class _environment:  # noqa: N801 - reads as a word in a with statement
    """Environment variables for a while."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values, self._before = values, {name: os.environ.get(name) for name in values}

    def __enter__(self) -> None:
        os.environ.update(self._values)

    def __exit__(self, *exception: object) -> None:
        for name, value in self._before.items():
            with suppress(KeyError):
                del os.environ[name]
            if value is not None:
                os.environ[name] = value


if __name__ == "__main__":
    main()
