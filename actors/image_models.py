"""From a renderer of an experiment to its id and to the model that draws: any diffusers checkpoint, or the built-in one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from actors.diffusers_files import PipelineFiles, hub_pipeline, pipeline_files
from actors.diffusers_loading import LoadSettings
from actors.diffusers_model import DiffusersModel
from actors.models import digest_of, resolve
from engine.errors import ModelError
from engine.image_config import TINY_SCENES, Renderer
from engine.images.rendering import ImageModel

READS_WITH = "minilm-l6-v2"
"""What `tiny-scenes` reads prompts with; those weights lie in a package, not beside its own."""


def settled(renderer: Renderer) -> Renderer:
    """The renderer with the precision that `auto` means on this machine: bfloat16 on a GPU that computes in it, else float32."""
    if renderer.dtype != "auto":
        return renderer
    import torch

    half = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return renderer.model_copy(update={"dtype": "bfloat16" if half else "float32"})


def image_model_id(renderer: Renderer) -> str:
    """Names all that changes an image beside its settings, without loading the model: checkpoint, LoRA, what was asked of it, precision.

        tiny-scenes@53aa5117.1b2c3d4e.float32
        sdxl@31e35c80.9d8c7b6a+watercolour@0a1b2c3d*0.8.unfiltered.bfloat16

    Raises ModelError.
    """
    return _id(model_files(renderer), settled(renderer))


def make_image_model(renderer: Renderer, *, planned: str = "", threads: int = 1) -> ImageModel:
    """The model of `renderer`, loaded on the GPU if there is one. `planned`: the id that a plan gave it, and with it the precision that
    `auto` meant there. Raises ModelError if it cannot be loaded, or is another here."""
    if renderer.dtype == "auto" and planned:
        renderer = Renderer.model_validate({**renderer.model_dump(), "dtype": planned.rpartition(".")[2]})
    renderer, files = settled(renderer), model_files(renderer)
    id = _id(files, renderer)
    if planned and id != planned:
        raise ModelError(f"The renderer here is {id}, the plan names {planned}.", remedy="Install the same weights on every node.")
    import torch

    settings = LoadSettings(
        kind=renderer.kind,
        dtype=renderer.dtype,
        device="cuda" if torch.cuda.is_available() else "cpu",
        loras=renderer.loras,
        safety=renderer.safety == "on",
        compile=renderer.compile,
        attention=renderer.attention,
    )
    return DiffusersModel(files, settings, id=id, batch=renderer.batch, threads=threads)


def _id(files: PipelineFiles, renderer: Renderer) -> str:
    loras = [f"+{Path(lora.file).stem}@{digest_of(Path(lora.file).expanduser())[:8]}*{lora.scale:g}" for lora in renderer.loras]
    kind = [] if renderer.kind == "auto" else [f".{renderer.kind}"]
    unfiltered = [".unfiltered"] if files.filters and renderer.safety == "off" else []
    return "".join([files.id, *loras, *kind, *unfiltered, f".{renderer.dtype}"])


def model_files(renderer: Renderer) -> PipelineFiles:
    """The checkpoint of `renderer` on this machine. Raises ModelError."""
    name = renderer.model
    if renderer.revision:
        return hub_pipeline(name, renderer.revision)
    if name == TINY_SCENES:
        own = pipeline_files(Path(__file__).parent / "tiny_scenes" / "weights", name=TINY_SCENES)
        return replace(own, id=f"{own.id}+{resolve(READS_WITH).id}")
    folder = Path(name).expanduser()
    if folder.is_dir():
        return pipeline_files(folder.resolve())
    raise ModelError(
        f"Image model {name!r} is neither built in nor a folder on this machine.",
        remedy=f"Built in: {TINY_SCENES}. Others are not fetched here: download the pipeline once and give its folder, or a hub's id with "
        "the commit as 'revision'.",
        code="model-unknown",
    )
