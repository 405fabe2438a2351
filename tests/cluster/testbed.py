"""What stands while many schedules pass: one S3 server, one cluster, and what a run gave that nothing was done to."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.store.opening import open_backend
from jobs.s3_server import LocalS3
from tests.cluster.checks import Calls, calls_within_bound, consistent_lineage, one_result_each
from tests.cluster.cluster import ManyNodes
from tests.cluster.late import LateProxy
from tests.cluster.running import Driver, Run, Watcher
from tests.cluster.schedule import Schedule, schedule
from tests.cluster.workloads import Evaluation, RandomOutputs, Workload


@dataclass(frozen=True)
class Verdict:
    """How a run stood its schedule; `wrong` is empty if it did."""

    schedule: Schedule
    run: Run
    calls: Calls
    spoiled: dict[str, int]
    """Fault -> requests that met it."""
    wrong: list[str]

    def line(self) -> dict[str, Any]:
        """What a results file keeps of it."""
        run, calls = self.run, self.calls
        return {
            "seed": self.schedule.seed,
            "schedule": self.schedule.describe(),
            "happened": run.happened,
            "missed": run.missed,
            "seconds": round(run.seconds, 1),
            "drivers": run.exit_codes,
            "late_commits": run.late_commits,
            "spoiled_requests": sum(self.spoiled.values()),
            "units": calls.units,
            "asked": calls.asked,
            "extra_calls": calls.asked - calls.units,
            "extra_allowed": calls.allowed,
            "ok": not self.wrong,
            "wrong": self.wrong[:10],
        }


class Testbed:
    """`with Testbed() as testbed: testbed.verdict(seed)`."""

    __test__ = False  # no test, whatever its name

    def __enter__(self) -> Testbed:
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mien-testbed-")))
            self._server = stack.enter_context(LocalS3(self._folder / "s3"))
            stack.enter_context(environment_of(self._server.environment))
            self._cluster = stack.enter_context(ManyNodes(self._server.environment))
            self._evaluation, self._random_outputs = Evaluation(self._folder), RandomOutputs()
            self.undisturbed = self._run_undisturbed()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def verdict(self, seed: int) -> Verdict:
        """Run the schedule of a seed and check all that must hold. Raises AssertionError if the run does not come to its end."""
        planned = schedule(seed)
        workload: Workload = self._random_outputs if planned.random_outputs else self._evaluation
        return self._verdict(planned, workload, f"seed-{seed}")

    def _run_undisturbed(self) -> Verdict:
        verdict = self._verdict(Schedule(-1, (), 0.0), self._evaluation, "undisturbed")
        if verdict.wrong or verdict.run.exit_codes != [0]:
            raise AssertionError(f"undisturbed, {verdict.run.exit_codes}: {verdict.wrong[:5]}; {verdict.run.drivers[0].output}")
        self._evaluation.compare_with(self._evaluation.ended(self._server.uri(prefix="undisturbed")))
        return verdict

    def _verdict(self, planned: Schedule, workload: Workload, prefix: str) -> Verdict:
        self._cluster.settle()
        direct = self._server.uri(prefix=prefix)
        with LateProxy(self._server.endpoint, planned.seed, planned.rates) as proxy:
            store = self._server.uri(prefix=prefix, endpoint=proxy.endpoint)

            def start(number: int) -> Driver:
                return Driver.start(workload.command(store), self._folder / prefix / f"driver-{number}", self._cluster.environment)

            run = Watcher(planned, self._cluster, open_backend(direct), proxy, workload.planned, start, self._outage).watch()
            spoiled = dict(sorted(proxy.counts.items()))
        ended = workload.ended(direct)
        calls = calls_within_bound(ended, [driver.calls for driver in run.drivers], run.hit)
        wrong = one_result_each(ended) or [*workload.wrong(ended), *consistent_lineage(ended), *calls.wrong]
        if not wrong and prefix != "undisturbed":
            shutil.rmtree(self._folder / prefix)
        return Verdict(planned, run, calls, spoiled, wrong)

    def _outage(self, seconds: float) -> None:
        self._server.kill()
        time.sleep(seconds)
        self._server.restart()


@contextmanager
def environment_of(given: Mapping[str, str]) -> Iterator[None]:
    """This process needs what the drivers need."""
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
