"""Checkpoints from a model hub as they lie in its cache on this machine: named by their commit, so that nothing need be hashed or fetched.

A model of 72B parameters comes in dozens of files, 145 GB; what it is must be known where a run is planned, which has none of them.
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import ModelError


def hub_id(model: str, revision: str) -> str:
    """What fingerprints and tables call a commit of a hub's model, such as `Qwen/Qwen2.5-72B-Instruct@495f3936...`."""
    return f"{model}@{revision}"


def hub_snapshot(model: str, revision: str, holds: str = "config.json") -> Path:
    """The folder of that commit in the hub's cache. Raises ModelError if it is not there, with the file that such a model `holds`."""
    folder = _cache() / f"models--{model.replace('/', '--')}" / "snapshots" / revision
    if not (folder / holds).is_file():
        raise ModelError(
            f"{hub_id(model, revision)} is not in the model cache of this machine.",
            remedy=f"Run `hf download {model} --revision {revision}` there, or set HF_HOME to where it lies.",
            code="model-missing",
        )
    return folder


def _cache() -> Path:
    """Where the hub's own client keeps models."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    return Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser() / "hub"
