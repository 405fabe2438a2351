"""The files of an experiment's models."""

from __future__ import annotations

import os
from pathlib import Path

from engine.config_loading import load
from engine.errors import ModelError
from jobs.actor_factory import model_ids
from jobs.doctor.finding import Finding, failed


def check_models(file: Path | None) -> tuple[str, Finding]:
    """(encoder's name, whether each model of the experiment is here with the recorded sha256). Raises ConfigError for a bad file."""
    experiment = load(file, os.environ, {}).experiment
    try:
        ids = model_ids(experiment)
    except ModelError as error:
        return experiment.encoder, failed("models", error)
    return experiment.encoder, Finding(
        "models", "ok", ", ".join(f"{name} {id_}" for name, id_ in ids.items()) + ": every file is the one it names."
    )
