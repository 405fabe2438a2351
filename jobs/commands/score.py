"""`mien score FILE`: anyone's own prompts beside the built-in methods and controls, run as `mien run` runs an experiment."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.config import METHODS
from engine.config_loading import load
from engine.errors import UsageError
from engine.prompting.given import read_given
from engine.report.wording import counted
from jobs.console import Console
from jobs.people_source import count_people
from jobs.planning import Prepared, prepare
from jobs.run import Driver, Options
from jobs.shard_runner import Retry

DEFAULT_NAME = "mine"


def score_command(
    file: Path, *, profiles: Path, queries: Path | None, store: str, name: str, options: Mapping[str, Any], as_json: bool
) -> int:
    """Score the prompts of a file; returns the exit code."""
    console = Console(as_json=as_json)
    prepared = scoring(file, profiles=profiles, queries=queries, name=name, options=options)
    assigned = prepared.own.assignment
    assert assigned is not None
    people, of = len(assigned.queries), count_people(prepared.experiment.people)
    console.say(f"{file} has prompts for {counted(people, 'person')}; {profiles} has {of}. Only people with prompts are evaluated.")
    console.event("score", people=people, profiles=of, queries=len(assigned.pool), methods=_names(prepared))
    command = shlex.join(["mien", *sys.argv[1:]])
    return Driver(prepared, Options(store, run_name(prepared), command, Retry()), console).run()


def scoring(file: Path, *, profiles: Path, queries: Path | None, name: str, options: Mapping[str, Any]) -> Prepared:
    """The experiment that scores a file of prompts, resolved. Raises InputError and ConfigError."""
    named = read_given(file).methods
    if named and name:
        raise UsageError(f"The rows of {file} name their methods: {', '.join(named)}.", remedy="Leave out --name, or the field `method`.")
    own = [{"name": each, "file": str(file)} for each in named or (name or DEFAULT_NAME,)]
    built: dict[str, Any] = {"methods": [*METHODS, *own], "queries.assigned": True, "people.file": str(profiles)}
    if queries is not None:
        built["queries.file"] = str(queries)
    return prepare(load(None, os.environ, {**built, **options}).experiment)


def run_name(prepared: Prepared) -> str:
    """Unlike experiments, prompts are edited all the time: whatever differs makes another run, so each has a name of its own."""
    names = _names(prepared)
    return f"{names[0] if len(names) == 1 else 'score'}-{prepared.run[:8]}"


def _names(prepared: Prepared) -> list[str]:
    return [own.name for own in prepared.experiment.own_methods()]
