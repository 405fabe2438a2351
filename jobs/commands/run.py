"""`mien run`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.config_loading import load
from jobs.console import Console
from jobs.planning import prepare
from jobs.run import Driver, Options
from jobs.shard_runner import Retry


def run_command(file: Path, *, store: str, name: str, options: Mapping[str, Any], as_json: bool) -> int:
    """Run an experiment; returns the exit code."""
    prepared = prepare(load(file, os.environ, options).experiment)
    command = shlex.join(["mien", *sys.argv[1:]])
    return Driver(prepared, Options(store, name or prepared.experiment.run_name(), command, Retry()), Console(as_json=as_json)).run()
