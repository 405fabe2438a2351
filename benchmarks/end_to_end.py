"""The whole evaluation against the bare encoder: how much of the machine goes into the one thing that must be computed.

    python benchmarks/end_to_end.py                  240 people, linearity against 60
    python benchmarks/end_to_end.py --people 1000 --small 250

`efficiency` = seconds of the bare encoder / seconds of `mien run`, start-up and report included. The bare encoder is
`bare_encoder.py` on exactly the distinct texts that the run embeds, in the better of its two arrangements; order bare,
whole, bare, medians. `linearity` = time a prompt from first to last commit at many people / at few. `driver_mb`, `total_mb`:
peak resident memory of the driver and of all processes together (shared pages counted once). Ends with one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from engine.outcome import Answered
from engine.prompting.retrieval import distinct_elements
from engine.stage import Stage
from engine.store.plans import Shard
from jobs.opened_run import OpenedRun, open_run

HERE = Path(__file__).parent
LOOK_EVERY_S = 5.0
ARRANGEMENTS = ((1, 2), (2, 1))
"""(processes, threads) of the bare encoder."""


@dataclass(frozen=True, slots=True)
class Whole:
    """One `mien run`: wall seconds, peak memory in MB, seconds from first to last commit, prompts."""

    seconds: float
    driver_mb: float
    total_mb: float
    commit_seconds: float
    prompts: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=240)
    parser.add_argument("--small", type=int, default=60, help="people of the small run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        people = build(root, options.people)
        whole = run(root, people, "large", options.people)
        texts = write_texts(open_run(str(root / "large"), "large"), root / "texts.jsonl")
        sample = root / "sample.jsonl"
        sample.write_text("".join(texts.read_text().splitlines(keepends=True)[::8]))
        arrangement = min(ARRANGEMENTS, key=lambda each: bare(sample, *each))
        before = bare(texts, *arrangement)
        whole = run(root, people, "again", options.people)
        bare_seconds = statistics.median([before, bare(texts, *arrangement)])
        small = run(root, people, "small", options.small)
    efficiency = bare_seconds / whole.seconds
    pace = whole.commit_seconds / whole.prompts
    small_pace = small.commit_seconds / small.prompts
    print(f"bare encoder, {arrangement[0]} x {arrangement[1]} threads   {bare_seconds:7.1f} s")
    print(f"mien run, {options.people} people, {whole.prompts} prompts   {whole.seconds:7.1f} s")
    print(f"a prompt between commits: {1000 * pace:.2f} ms at {options.people} people, {1000 * small_pace:.2f} ms at {options.small}")
    result = {
        "efficiency": round(efficiency, 3),
        "linearity": round(pace / small_pace, 3),
        "driver_mb": round(whole.driver_mb),
        "total_mb": round(whole.total_mb),
        "bare_s": round(bare_seconds, 1),
        "whole_s": round(whole.seconds, 1),
        "people": options.people,
        "small": options.small,
        "prompts": whole.prompts,
    }
    print(json.dumps(result))


def build(root: Path, people: int) -> Path:
    """The people, built before anything is timed."""
    file = root / "people.parquet"
    subprocess.run([*mien(), "profiles", "build", "--n", str(people), "--out", str(file)], check=True, stdout=subprocess.DEVNULL)
    return file


def mien() -> list[str]:
    """The command of this environment."""
    return [sys.executable, "-m", "jobs.cli"]


def run(root: Path, people: Path, name: str, limit: int) -> Whole:
    """One run in a store of its own."""
    store = root / name
    experiment = HERE.parent / "experiments" / "laptop.yaml"
    command = [*mien(), "run", str(experiment), "--people", str(people), "--set", f"name={name}", "--store", str(store)]
    if limit < count(people):
        command += ["--limit", str(limit)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    driver_mb, total_mb = watch_memory(process)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"mien run ended with {process.returncode}")
    commits = [
        path.stat().st_mtime for path in (store / "results").rglob("*.parquet") if not path.parent.name.startswith(("people", "queries"))
    ]
    prompts = 20 * limit
    return Whole(seconds, driver_mb, total_mb, max(commits) - min(commits), prompts)


def count(people: Path) -> int:
    """People in a file."""
    from engine.profiles.counting import count_rows

    return count_rows(people)


def watch_memory(process: subprocess.Popen[bytes]) -> tuple[float, float]:
    """Peak (driver, all processes) in MB until the process ends, looked at rarely: each look costs CPU that the run needs."""
    driver_mb = total_mb = 0.0
    root = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            driver_mb = max(driver_mb, root.memory_info().rss / 2**20)
            total_mb = max(total_mb, sum(_pss(each) for each in [root, *root.children(recursive=True)]) / 2**20)
        except psutil.NoSuchProcess:
            continue
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_EVERY_S)
    return driver_mb, total_mb


def _pss(process: psutil.Process) -> int:
    """Resident memory with shared pages divided among those who share them; 0 for a process that is gone."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0


def write_texts(run: OpenedRun, path: Path) -> Path:
    """The distinct texts that a run embedded."""
    texts: dict[str, None] = {}
    progress = run.progress()

    def values(stage: Stage[Any], shard: Shard) -> Iterator[Any]:
        for row in run.results.read(stage, shard.key, overlays=progress.overlays(stage, shard)).values():
            assert isinstance(row.outcome, Answered)
            yield row.outcome.value

    for shard in run.plan.shards:
        for profile in values(run.workflow.people, shard):
            captions = (caption.text for caption in profile.captions)
            texts.update(dict.fromkeys([profile.summary_ref, *captions, *distinct_elements(profile)]))
        for score in run.workflow.scores:
            texts.update((written.prompt, None) for written in values(score.embedding.prompt, shard))
        texts.update((unit.query.text, None) for unit in run.workflow.units(shard, run.workflow.scores[0]) if unit.query)
    path.write_text("".join(json.dumps(text) + "\n" for text in texts if text), encoding="utf-8")
    return path


def bare(texts: Path, processes: int, threads: int) -> float:
    """Wall seconds of the bare encoder, its start-up included."""
    command = [sys.executable, str(HERE / "bare_encoder.py"), str(texts), "--processes", str(processes), "--threads", str(threads)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
