"""From a training's folder to the weights that are stored with the project: a diffusers pipeline in half precision, and the checker."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from actors.tiny_scenes.checker import CHECKER
from actors.tiny_scenes.denoising_training import UNSHUFFLE, averaged_denoiser, new_scheduler
from actors.tiny_scenes.pipeline import TinyScenesPipeline
from actors.tiny_scenes.reader import PromptReader
from engine.scenes.drawing import SIZE_PX

READER = "reader"


def export(out: Path, folder: Path) -> None:
    """Writes the averaged weights of the last checkpoint in `out` to `folder`, as `TinyScenesPipeline.from_pretrained` reads them."""
    reader = PromptReader.from_pretrained(out / READER)
    denoiser = averaged_denoiser(out, reader.codes, SIZE_PX // UNSHUFFLE)
    TinyScenesPipeline(denoiser.half(), new_scheduler(), reader.half()).save_pretrained(folder, safe_serialization=True)
    shutil.copyfile(out / CHECKER, folder / CHECKER)
    _forget_where(folder / READER / "config.json")
    for file in folder.rglob("*.safetensors"):
        file.chmod(0o644)


def _forget_where(config: Path) -> None:
    """Takes the path that weights were read from out of a configuration: it names a folder of whoever trained."""
    said = json.loads(config.read_text("utf-8"))
    config.write_text(json.dumps({name: value for name, value in said.items() if name != "_name_or_path"}, indent=2) + "\n", "utf-8")
