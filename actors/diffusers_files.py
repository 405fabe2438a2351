"""Diffusers checkpoints on this machine: which files make up a pipeline, and the sha256 that they have together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.hub_snapshot import hub_id, hub_snapshot
from actors.models import digest_of
from engine.errors import ModelError
from engine.keys import content_key

INDEX = "model_index.json"
WEIGHTS = ".safetensors"
HALF = "fp16"
"""What hubs call the half-precision twin of a component's weights: `model.fp16.safetensors`, or `model.fp16-00001-of-00002.safetensors`."""

NO_FOREIGN_CODE = "Code that comes with a checkpoint is not run."
"""The remedy where one asks for it."""

_READ = (WEIGHTS, ".json", ".txt", ".model", ".jinja")
"""Endings of what a component is made of: weights, configurations, vocabularies and merges, sentencepiece, chat templates."""


@dataclass(frozen=True, slots=True)
class PipelineFiles:
    """A diffusers pipeline in a folder. `id` names all its files by their content, such as `sdxl-base@31e35c80.1b2c3d4e`: the weights, then
    everything; or a hub's commit. `pipeline`: its class; `variant`: "fp16" where that is all there is of some weights."""

    name: str
    folder: Path
    id: str
    pipeline: str
    components: tuple[tuple[str, str], ...]
    """(component, the library that its class comes from)."""
    variant: str = ""
    filters: bool = False
    """Whether it brings a safety filter."""


def pipeline_files(folder: Path, *, name: str = "") -> PipelineFiles:
    """The pipeline in `folder`, called by the folder's name unless another is given.

    Raises ModelError if files are missing, the weights are no safetensors, or the index asks for code from elsewhere.
    """
    return _described(folder, name or folder.name, "")


def hub_pipeline(model: str, revision: str) -> PipelineFiles:
    """The pipeline at a commit of a hub's model, as it lies in the hub's cache. Raises ModelError."""
    return _described(hub_snapshot(model, revision, holds=INDEX), model, hub_id(model, revision))


def _described(folder: Path, name: str, id: str) -> PipelineFiles:
    index = _index(folder / INDEX)
    components = {part: kind for part, kind in index.items() if isinstance(kind, list) and len(kind) == 2 and kind[0] is not None}
    files = [folder / INDEX]
    half = False
    for part in sorted(components):
        if not (folder / part).is_dir():
            raise ModelError(f"{folder} has no folder of its component {part}.", remedy="Fetch the model again.", code="model-missing")
        read, only_half = _component(folder / part)
        files += read
        half = half or only_half
    pipeline = index["_class_name"]
    libraries = tuple((part, str(kind[0])) for part, kind in components.items())
    known = id or _id(name, folder, files)
    return PipelineFiles(name, folder, known, pipeline, libraries, HALF if half else "", "safety_checker" in components)


def _index(file: Path) -> dict[str, Any]:
    try:
        index = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ModelError(
            f"{file} cannot be read: {error.strerror}.",
            remedy="Give the folder of a diffusers pipeline; convert a single file with `from_single_file` and `save_pretrained`.",
            code="model-missing",
        ) from error
    except ValueError as error:
        raise ModelError(f"{file} is no JSON: {error}.", remedy="Fetch the model again.", code="model-damaged") from error
    if not isinstance(index, dict) or not isinstance(index.get("_class_name"), str):
        # A list here names a class in a Python file beside the weights.
        raise ModelError(f"{file} names no pipeline of diffusers.", remedy=NO_FOREIGN_CODE, code="model-unsupported")
    return index


def _component(folder: Path) -> tuple[list[Path], bool]:
    """What is read of a component, and whether its weights are only there in half precision."""
    found = sorted(file for file in folder.iterdir() if file.suffix in _READ)
    half = [file for file in found if f".{HALF}." in file.name or f".{HALF}-" in file.name]
    whole = [file for file in found if file not in half]
    if any(file.suffix == WEIGHTS for file in whole):
        return whole, False
    if any(file.suffix == WEIGHTS for file in half):
        return found, True
    if any(file.suffix in (".bin", ".ckpt", ".pt", ".pth", ".msgpack") for file in folder.iterdir()):
        raise ModelError(
            f"The weights in {folder} are no {WEIGHTS}.",
            remedy="Other formats may hold code and are not read: convert them with `save_pretrained`.",
            code="model-unsupported",
        )
    return whole, False


def _id(name: str, folder: Path, files: list[Path]) -> str:
    digests = {file.relative_to(folder).as_posix(): digest_of(file) for file in files}
    weights = content_key({file: digest for file, digest in digests.items() if file.endswith(WEIGHTS)})
    return f"{name}@{weights[:8]}.{content_key(digests)[:8]}"
