"""What a benchmark is to the machinery that runs it: stages, their units, and the actors that answer them.

A benchmark's module offers `from_plan(plan, results) -> Workflow`; workers import it by name, so nothing but its name travels to them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from engine.stage import Stage, Unit
from engine.store.plans import Plan, Shard
from engine.store.results import Results

if TYPE_CHECKING:
    from jobs.progress import Progress

Actors: TypeAlias = Callable[[str], Any]
"""An actor by its name ("encoder", "writer:template")."""


class Workflow(Protocol):
    """A benchmark as a list of stages over fixed shards."""

    @property
    def sources(self) -> Sequence[Stage[Any]]:
        """The sharded stages that the driver stores itself, such as the people."""

    @property
    def stages(self) -> Sequence[Stage[Any]]:
        """Every stage that actors run, in dependency order."""

    @property
    def phases(self) -> Sequence[Sequence[Stage[Any]]]:
        """`stages` in parts: a later one begins when the earlier ones are done on every shard, since it reads more than its own."""

    @property
    def finals(self) -> Sequence[Stage[Any]]:
        """Stages in which every failure shows, whatever stage it began in."""

    def units(self, shard: Shard, stage: Stage[Any]) -> list[Unit]:
        """The units of a stage on a shard: fixed when the plan is made."""

    def before(self, phase: int, plan: Plan, results: Results, progress: Progress) -> Mapping[str, Any]:
        """What the driver does between phases, such as building what all shards share; returns options for the phase's workers."""

    def actors(self, options: Mapping[str, Any]) -> Actors:
        """Makes an actor, new at each call. `options` are the driver's: they name where models lie and how many threads they get."""


def sharded(workflow: Workflow) -> list[Stage[Any]]:
    """Every stage with a result a shard: what the driver stored, then what actors compute."""
    return [*workflow.sources, *workflow.stages]


def open_workflow(module: str, plan: Plan, results: Results) -> Workflow:
    """The workflow of a plan, rebuilt from nothing but the store. `module` comes from code, never from stored data."""
    workflow: Workflow = importlib.import_module(module).from_plan(plan, results)
    return workflow
