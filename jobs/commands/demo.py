"""`mien demo`: the embedded default; with a worker killed half-way (`--kill`), with its results on a real S3 server (`--s3`)."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.config_loading import load
from engine.errors import MienError, ModelError, UsageError
from engine.store.lease import LAST_WORDS_S
from engine.store.opening import open_backend
from engine.store.plans import bound_run
from jobs.audit import audit
from jobs.call_log import VARIABLE, units_asked
from jobs.commands import demo_images, demo_prompts
from jobs.console import Console
from jobs.opened_run import OpenedRun, open_run
from jobs.planning import prepare
from jobs.references import ShardReference
from jobs.report_copy import copy_report
from jobs.run import Driver, Options
from jobs.shard_runner import Retry

NAME = "demo"
CHOICES: Mapping[str, Any] = MappingProxyType({"judging": {"judges": ["nearest-wordllama"], "turing": True}})
"""The embedded default, and a judge that needs no language model."""


def demo_command(*, store: str, kill: bool, s3: bool, as_json: bool) -> int:
    """Run the demo; returns the exit code."""
    console = Console(as_json=as_json)
    if kill:
        # What is finished is never computed again, so a kill shows something only in a place of its own.
        store = f"{store.rstrip('/')}/kill-{time.strftime('%Y%m%d-%H%M%S')}"
    with _s3(Path(store), console) if s3 else nullcontext(store) as uri:
        return _killed_half_way(uri, console) if kill else max(_driver(uri, console).run(), *(part.run(uri, console) for part in SMALL))


@dataclass(frozen=True, slots=True)
class SmallPart:
    """A small run of its own in the same store; left out, with a word, where its models are not installed."""

    name: str
    choices: Mapping[str, Any]
    announced: str
    tell: Callable[[Console, OpenedRun], None]

    def run(self, uri: str, console: Console) -> int:
        """Run it and tell what came of it; returns the exit code."""
        console.say(f"\n{self.announced}")
        try:
            driver = _driver(uri, console, name=self.name, choices=self.choices)
        except ModelError as error:
            console.warn(f"Left out: {error}")
            return 0
        code = driver.run()
        self.tell(console, open_run(uri, self.name))
        return code


SMALL = (
    SmallPart(
        demo_prompts.NAME,
        demo_prompts.CHOICES,
        "A small part by a real language model: SmolLM2-135M on this machine's CPU.",
        demo_prompts.tell_prompts,
    ),
    SmallPart(
        demo_images.NAME,
        demo_images.CHOICES,
        "A small part with pictures: a diffusion model draws the prompts, vision models look at them.",
        demo_images.tell_images,
    ),
)


def _driver(uri: str, console: Console, murder: Murder | None = None, *, name: str = NAME, choices: Mapping[str, Any] = CHOICES) -> Driver:
    prepared = prepare(load(None, os.environ, choices).experiment)
    command = shlex.join(["mien", *sys.argv[1:]])
    return Driver(prepared, Options(uri, name, command, Retry(), murder or (lambda *_: None)), console)


AT_WORK_WITHIN_S = 5.0
"""How long the victim may take to begin its next shard: an idle process would cost nothing."""


@dataclass
class Murder:
    """Ends the process that told of the shard with which half of the people were done, once it is at work on the next one."""

    console: Console
    calls: Path
    """Where workers log their calls."""
    pids: list[int] = field(default_factory=list)

    def __call__(self, done: int, total: int, shard: ShardReference) -> None:
        if self.pids or 2 * done < total or not shard.visits:
            return
        visit = shard.visits[-1]
        if visit.node != socket.gethostname() or not self._at_work(visit.pid):
            return
        try:
            os.kill(visit.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # gone by itself; the next shard's worker will do
        self.pids.append(visit.pid)
        self.console.say(f"Killed worker process {self.pids[0]} (SIGKILL) at {done} of {total} people; the run goes on.")

    def _at_work(self, pid: int) -> bool:
        """Wait until a process makes its next call, which is about another shard; False if there is none for it."""
        log = self.calls / f"{pid}.jsonl"
        had, deadline = log.stat().st_size if log.exists() else 0, time.monotonic() + AT_WORK_WITHIN_S
        while time.monotonic() < deadline:
            if log.exists() and log.stat().st_size > had:
                return True
            time.sleep(0.002)
        return False


def _killed_half_way(uri: str, console: Console) -> int:
    """Run, kill a worker at half, and count what the store holds afterwards."""
    if os.environ.get("RAY_ADDRESS") or load(None, os.environ, {}).experiment.execution.ray_address:
        raise UsageError("`--kill` ends a process of this machine's own Ray.", remedy="Unset RAY_ADDRESS for it.")
    console.say("Half-way through, one of the worker processes will be killed.")
    with tempfile.TemporaryDirectory(prefix="mien-calls-") as calls:
        murder = Murder(console, Path(calls))
        os.environ[VARIABLE] = calls
        try:
            code = _driver(uri, console, murder).run()
        finally:
            del os.environ[VARIABLE]
        asked = units_asked(Path(calls)).total()
    run = open_run(uri, NAME)
    found = audit(run.workflow, run.plan, run.results)
    planned = sum(len(run.workflow.units(shard, stage)) for shard in run.plan.shards for stage in run.workflow.stages)
    console.say()
    console.say(f"Killed {len(murder.pids)} of the worker processes half-way. Then, of {found.planned:,} planned units of all stages:")
    console.say(f"  lost        {found.lost}")
    console.say(f"  duplicated  {found.duplicated}")
    console.say(f"  not planned {found.foreign}")
    console.say(f"  computed from anything but what is stored  {found.stale}")
    console.say(f"  asked again {asked - planned}: what the killed process was at work on; everything finished was kept")
    facts = {"lost": found.lost, "duplicated": found.duplicated, "foreign": found.foreign, "stale": found.stale}
    console.event("audit", killed=len(murder.pids), planned=found.planned, asked_again=asked - planned, **facts)
    return code if found.is_exact and murder.pids else max(code, 1)


@contextmanager
def _s3(folder: Path, console: Console) -> Iterator[str]:
    """A store on a local S3 server whose data lie under `folder`; its report is copied beside them, since the server ends with the demo."""
    from jobs.s3_server import LocalS3

    with LocalS3(folder / "s3-data") as server:
        os.environ.update(server.environment)
        uri = server.uri("mien-demo")
        console.say(f"A real S3 server (SeaweedFS) listens on {server.endpoint}; its data lie in {folder / 's3-data'}")
        try:
            yield uri
        finally:
            with suppress(MienError):  # a run that did not get to a report has said why
                backend = open_backend(uri).with_patience(LAST_WORDS_S)
                page = copy_report(backend, bound_run(backend, NAME)[1], folder / "report")
                console.say(f"The S3 server ends with the demo. The report again, on disk: {page}")
