"""A run that exists, rebuilt from the store alone: what every command but `run` starts from."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from engine.config import Experiment
from engine.errors import StoreError, UsageError
from engine.store import names
from engine.store.backend import Backend
from engine.store.folder import FolderBackend
from engine.store.opening import open_backend
from engine.store.plans import Plan, bound_run, load_plan
from engine.store.results import Results
from jobs.given_prompts import OwnPrompts
from jobs.planning import Prepared
from jobs.progress import Progress, progress_of
from jobs.reporting import END
from jobs.vptt import Vptt, from_plan

SETTINGS = "experiment.json"
"""The resolved experiment of the latest driver: what may change between resumes (pools, paths)."""


@dataclass(frozen=True)
class OpenedRun:
    """A run's plan and stages."""

    name: str
    backend: Backend
    plan: Plan
    workflow: Vptt

    @cached_property
    def results(self) -> Results:
        """The results of the run's store. A file that cannot be trusted makes the run unfinished, so that the next `mien run` mends it."""

        def unfinish() -> None:
            with suppress(StoreError):  # a store that can only be read
                self.backend.delete(names.run(self.plan.run, "report", END))

        return Results(self.backend, notice_untrusted=unfinish)

    @property
    def planned_results(self) -> int:
        """How many result files the whole run has."""
        return len(self.workflow.stages) * len(self.plan.shards)

    def progress(self) -> Progress:
        """What exists now."""
        return progress_of(self.workflow, self.results)

    def prepared(self) -> Prepared:
        """The run as a driver needs it, with the settings of its latest driver."""
        experiment = Experiment.model_validate_json(self.backend.read(names.run(self.plan.run, SETTINGS)))
        return Prepared(experiment, self.workflow, dict(self.plan.identity), OwnPrompts(experiment))


def open_existing(store: str) -> Backend:
    """The backend of a store that runs have written to. Raises UsageError for a folder that is not there."""
    backend = open_backend(store)
    if isinstance(backend, FolderBackend) and not backend.root.is_dir():
        raise UsageError(f"There is no store at {store}.", remedy="Give the --store that runs have written to.")
    return backend


def open_run(store: str, name: str) -> OpenedRun:
    """The run called `name` (or with that id). Raises UsageError naming the runs that exist."""
    backend = open_existing(store)
    name, run = bound_run(backend, name)
    plan = load_plan(backend, run)
    if plan is None:
        raise UsageError(f"Run '{name}' has no plan yet.", remedy="Its first `mien run` did not get that far; run it again.")
    return OpenedRun(name, backend, plan, from_plan(plan, Results(backend)))


def save_settings(backend: Backend, run: str, experiment: Experiment) -> None:
    """Keep the resolved experiment for `retry`; paths and pools in it may differ from driver to driver."""
    text = json.dumps(experiment.model_dump(mode="json"), ensure_ascii=False, indent=1)
    backend.replace(names.run(run, SETTINGS), text.encode())
