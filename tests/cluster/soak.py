"""Many schedules, one JSON line each: `python -m tests.cluster.soak 0..199 --results soak.jsonl`.

A seed that is in the file is skipped, so an interrupted soak goes on where it was; a seed that fails is written down and the next one
begins. Ends with 1 if any line of the range is not ok, with 130 if it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from engine.errors import MienError
from jobs.interrupts import listen
from tests.cluster.cluster import ClusterBroken
from tests.cluster.schedule import schedule, seeds
from tests.cluster.testbed import Testbed

SLOW_S = 20.0


def main(arguments: Sequence[str]) -> int:
    """Run what is not in the file yet, then tell what is in it."""
    parser = argparse.ArgumentParser(description="Run schedules of kills and faults, one JSON line each.")
    parser.add_argument("seeds", type=seeds, help="a..b, both included")
    parser.add_argument("--results", type=Path, default=Path("soak.jsonl"))
    given = parser.parse_args(arguments)
    listen()  # ended by SIGTERM, too, it takes its servers along
    try:
        for line in soak(given.seeds, given.results):
            with given.results.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(told(line), flush=True)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    lines = [line for line in recorded(given.results) if line["seed"] in given.seeds]
    print(summary(lines))
    return 0 if all(line["ok"] for line in lines) else 1


def soak(wanted: range, results: Path) -> Iterator[dict[str, Any]]:
    """The line of each seed that is not in `results`; a cluster that breaks is replaced."""
    done = {line["seed"] for line in recorded(results)}
    waiting = [seed for seed in wanted if seed not in done]
    while waiting:
        with Testbed() as testbed:
            try:
                while waiting:
                    yield one(testbed, waiting.pop(0))
            except ClusterBroken as error:
                print(f"starting another cluster: {error}", file=sys.stderr, flush=True)


def one(testbed: Testbed, seed: int) -> dict[str, Any]:
    """The line of one seed, also if its run did not come to an end."""
    try:
        return testbed.verdict(seed).line()
    except (AssertionError, MienError) as error:
        return {"seed": seed, "schedule": schedule(seed).describe(), "ok": False, "wrong": [f"{type(error).__name__}: {error}"]}


def recorded(results: Path) -> list[dict[str, Any]]:
    """The lines of a results file."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def told(line: dict[str, Any]) -> str:
    """A line for people."""
    if not line["ok"]:
        return f"FAILED {line['schedule']}\n  " + "\n  ".join(line["wrong"])
    calls = f"{line['extra_calls']} of {line['extra_allowed']} allowed extra calls on {line['units']}"
    late = f", {line['late_commits']} late commits" if line["late_commits"] else ""
    return f"{line['schedule']}: ok in {line['seconds']} s, {calls}{late}"


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """One JSON line over all."""
    ran = [line for line in lines if "seconds" in line]
    return json.dumps(
        {
            "schedules": len(lines),
            "ok": sum(line["ok"] for line in lines),
            "failed_seeds": [line["seed"] for line in lines if not line["ok"]],
            "mean_s": round(mean(line["seconds"] for line in ran), 1) if ran else None,
            "max_s": max((line["seconds"] for line in ran), default=None),
            f"over_{SLOW_S:.0f}_s": sum(line["seconds"] > SLOW_S for line in ran),
            "events": sum(len(line["happened"]) for line in ran),
            "missed_events": sum(len(line["missed"]) for line in ran),
            "late_commits": sum(line["late_commits"] for line in ran),
            "spoiled_requests": sum(line["spoiled_requests"] for line in ran),
            "units": sum(line["units"] for line in ran),
            "extra_calls": sum(line["extra_calls"] for line in ran),
            "extra_allowed": sum(line["extra_allowed"] for line in ran),
        }
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
