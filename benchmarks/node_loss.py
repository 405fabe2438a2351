"""Units computed twice after one of two nodes was lost half-way: by mien, and by plain Ray Data on the same work.

    python benchmarks/node_loss.py

Three stages that wait 40 ms a unit and make 48 KB of it (30 captions' vectors), 320 units in shards of 8, every stage's actors on both
nodes. Plain Ray Data is read_parquet, three map_batches with actors, write_parquet with Ray Data's own checkpointing switched on; it
recovers by its own lineage. Every call is written to an fsynced file before it begins. Ends with one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks import waiting  # noqa: E402
from jobs.call_log import VARIABLE, CallLog, units_asked  # noqa: E402
from tests.cluster.cluster import ManyNodes  # noqa: E402

UNITS, SHARD, WAIT_MS, BYTES = 320, 8, 40, 48 * 1024
STAGES = 3
CPUS = 0.2
"""Of an actor of ours: three, one a stage, fit on a node of one CPU. Plain Ray's take none, since its listing task wants a whole one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("ours", "plain"), help="used by the benchmark itself: one run, in a process of its own")
    only = parser.parse_args().only
    if only:
        (_ours if only == "ours" else _plain)(Path(os.environ["NODE_LOSS_FOLDER"]))
        return
    figures: dict[str, Any] = {}
    for name in ("ours", "plain"):
        with ManyNodes({}) as cluster, tempfile.TemporaryDirectory() as folder:
            figures |= _measured(name, cluster, Path(folder))
    print(json.dumps(figures))


def _measured(name: str, cluster: ManyNodes, folder: Path) -> dict[str, Any]:
    """Run one of the two, lose a node when half of the last stage's units were begun, and count."""
    calls = folder / "calls"
    calls.mkdir()
    told = {VARIABLE: str(calls), "NODE_LOSS_FOLDER": str(folder), "RAY_AUTH_MODE": "disabled"}
    process = subprocess.Popen(
        [sys.executable, __file__, "--only", name],
        env={**os.environ, **cluster.environment, **told},
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: output.extend(process.stdout or ()), daemon=True)
    reader.start()
    _when(process, output, lambda: _begun(calls, STAGES) >= UNITS // 2)
    cluster.kill_node(cluster.nodes[0])
    cluster.add_node()  # the replacement
    process.wait(timeout=600)
    reader.join()
    if process.returncode:
        raise RuntimeError(f"{name} ended with {process.returncode}:\n{''.join(output[-40:])}")
    computed = sum(units_asked(calls).values())
    print(f"{name}: {computed} units computed of {UNITS * STAGES}", file=sys.stderr, flush=True)
    return {f"recomputed_{name}": computed - UNITS * STAGES, "recomputed_units": UNITS * STAGES}


def _begun(calls: Path, stage: int) -> int:
    return sum(count for name, count in units_asked(calls).items() if name.startswith(f"wait{stage}-"))


def _when(process: subprocess.Popen[str], output: list[str], is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not is_so():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError("it did not get half-way:\n" + "".join(output[-40:]))
        time.sleep(0.1)


def _ours(folder: Path) -> None:
    from engine.execution_config import Pool
    from engine.store.opening import open_backend
    from engine.store.results import Results
    from tests.workflows.driving import drive

    results = Results(open_backend(str(folder / "store")), repair=True)
    identity = {"units": UNITS, "shard_size": SHARD, "waits_ms": [WAIT_MS] * STAGES, "sigma": 0.0, "seed": 0, "bytes": BYTES}
    plan, workflow = waiting.plan_of(identity, results)
    drive(results, plan, workflow, pools={f"waiter{number}": Pool(min=1, max=2, cpus=CPUS) for number in range(1, STAGES + 1)})
    assert all(len(results.done(stage)) == UNITS // SHARD for stage in workflow.stages)


class PlainStage:
    """What a user of plain Ray Data writes: an actor that computes a batch and hands it on."""

    def __init__(self, number: int, calls: str) -> None:
        self._name, self._log = f"wait{number}-plain", CallLog(calls)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        ids = batch["id"]
        with self._log.call("plain", str(ids[0]), {self._name: len(ids)}):
            time.sleep(WAIT_MS / 1000 * len(ids))
        return {"id": ids, "data": [os.urandom(BYTES) for _ in ids]}


def _plain(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq
    import ray
    from ray.data.checkpoint import CheckpointConfig

    source = folder / "source"
    source.mkdir()
    for shard in range(UNITS // SHARD):
        ids = [shard * SHARD + number for number in range(SHARD)]
        pq.write_table(pa.table({"id": ids, "data": [b""] * SHARD}), source / f"{shard:04d}.parquet")
    ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.checkpoint_config = CheckpointConfig(id_column="id", checkpoint_path=str(folder / "checkpoint"))
    dataset = ray.data.read_parquet(str(source), override_num_blocks=UNITS // SHARD)
    for number in range(1, STAGES + 1):
        dataset = dataset.map_batches(
            PlainStage,
            fn_constructor_args=(number, os.environ[VARIABLE]),
            batch_size=SHARD,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=2, max_tasks_in_flight_per_actor=2),
            num_cpus=0,
        )
    dataset.write_parquet(str(folder / "out"))
    assert pq.read_table(folder / "out").num_rows == UNITS


if __name__ == "__main__":
    main()
