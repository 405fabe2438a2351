"""`mien config show`, `mien schema`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.config import Experiment
from engine.config_loading import flatten, load


def config_command(file: Path | None, *, origin: bool, options: Mapping[str, Any]) -> None:
    """Print each field with its value and, on request, where it comes from."""
    loaded = load(file, os.environ, options)
    for path, value in flatten(loaded.experiment.model_dump(mode="json")):
        field = ".".join(path)
        line = f"{field:<36}{json.dumps(value, ensure_ascii=False)}"
        print(f"{line:<84}# {loaded.origins[field]}" if origin else line)


def schema_command() -> None:
    """Print the JSON schema of experiment files."""
    print(json.dumps(Experiment.model_json_schema(), indent=2, ensure_ascii=False))
