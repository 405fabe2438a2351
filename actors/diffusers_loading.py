"""From a checkpoint's files to pipelines that draw and edit: offline, from safetensors, with no code but that of diffusers and our own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.diffusers_files import NO_FOREIGN_CODE, PipelineFiles
from engine.errors import ModelError
from engine.image_config import Attention, Lora, RendererKind

OWN_PIPELINES: dict[str, str] = {"TinyScenesPipeline": "actors.tiny_scenes.pipeline"}
"""Pipelines of our own by class, with the module that holds it."""

ANOTHER_LORA = "Give a LoRA that was made for it."

OWN_PARTS = "actors.tiny_scenes."
"""Begins the modules that components of our own may come from."""


@dataclass(frozen=True)
class Loaded:
    """A checkpoint's pipelines, which share their parts. `draws`: from text alone; `edits`: a source image. Either may be missing."""

    draws: Any | None
    edits: Any | None

    @property
    def any(self) -> Any:
        """One of them."""
        return self.draws or self.edits


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """What a checkpoint is loaded as. `dtype` is settled: float32, bfloat16 or float16; `device` as torch names it."""

    kind: RendererKind = "auto"
    dtype: str = "float32"
    device: str = "cpu"
    loras: tuple[Lora, ...] = ()
    safety: bool = True
    compile: bool = False
    attention: Attention = ""


def load(files: PipelineFiles, settings: LoadSettings) -> Loaded:
    """The pipelines of `files` on their device. Raises ModelError if they cannot be loaded or do not what is asked."""
    if importlib.util.find_spec("diffusers") is None:
        raise ModelError("diffusers is not installed.", remedy="Run `pip install 'mien[laptop]'`, or mien[gpu].", code="model-missing")
    with quiet():
        pipeline = _pipeline(files, settings)
        pipeline.set_progress_bar_config(disable=True)
        pipeline.to(settings.device)
        _add_loras(pipeline, settings.loras)
        _prepare(pipeline, settings)
        loaded = _tasks(pipeline, settings.kind)
    if loaded.any is None:
        raise ModelError(
            f"{files.name} is a {files.pipeline}, which cannot do what renderers of kind {settings.kind} do.",
            remedy="Give a checkpoint that draws or edits images, or another 'kind'.",
            code="model-unsupported",
        )
    for each in (loaded.draws, loaded.edits):
        if each is not None:
            each.set_progress_bar_config(disable=True)
    return loaded


@contextmanager
def quiet() -> Iterator[None]:
    """Diffusers and transformers log what they cut off a prompt, and draw bars: both are off from here on, and warnings while this lasts.

    They call what torch, numpy and they themselves have deprecated. Only one thread at a time may draw in a process.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for library in ("transformers", "diffusers"):
            logging: Any = importlib.import_module(f"{library}.utils.logging")
            logging.set_verbosity_error()
            logging.disable_progress_bar()
        yield


def _pipeline(files: PipelineFiles, settings: LoadSettings) -> Any:
    import torch

    _refuse_foreign_code(files)
    passed: dict[str, Any] = {}
    if files.filters and not settings.safety:
        passed = {"safety_checker": None, "requires_safety_checker": False}
    if files.variant:
        passed["variant"] = files.variant
    try:
        pipeline = _class(files.pipeline).from_pretrained(
            files.folder, local_files_only=True, use_safetensors=True, dtype=getattr(torch, settings.dtype), **passed
        )
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, AttributeError, ImportError) as error:
        if "out of memory" in str(error).lower():
            raise
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"{files.name} cannot be loaded: {first}", remedy="Fetch the model again, or another version of it.", code="model-damaged"
        ) from error
    return pipeline


def _class(name: str) -> Any:
    import diffusers

    if name in OWN_PIPELINES:
        return getattr(importlib.import_module(OWN_PIPELINES[name]), name)
    found = getattr(diffusers, name, None)
    if not inspect.isclass(found) or not issubclass(found, diffusers.DiffusionPipeline):
        raise ModelError(
            f"diffusers {diffusers.__version__} has no pipeline {name}.", remedy="Install a version that has it.", code="model-unsupported"
        )
    return found


def _refuse_foreign_code(files: PipelineFiles) -> None:
    """A component's library is imported by its name: only those that are known to hold models are."""
    from diffusers import pipelines

    for part, library in files.components:
        if library not in ("diffusers", "transformers") and not hasattr(pipelines, library) and not library.startswith(OWN_PARTS):
            raise ModelError(
                f"The {part} of {files.name} is made by {library}, which is no part of diffusers.",
                remedy=NO_FOREIGN_CODE,
                code="model-unsupported",
            )


def _tasks(pipeline: Any, kind: RendererKind) -> Loaded:
    from diffusers import AutoPipelineForImage2Image, AutoPipelineForText2Image

    takes = inspect.signature(type(pipeline).__call__).parameters
    if type(pipeline).__name__ in OWN_PIPELINES:
        draws, edits = pipeline, pipeline if "image" in takes else None
    else:
        draws, edits = (_linked(auto, pipeline) for auto in (AutoPipelineForText2Image, AutoPipelineForImage2Image))
    if draws is None and edits is None and "prompt" in takes:
        # Unknown to AutoPipeline, such as InstructPix2Pix: whatever takes an image needs one.
        draws, edits = (None, pipeline) if "image" in takes else (pipeline, None)
    return Loaded(draws if kind != "edit" else None, edits if kind != "text-to-image" else None)


def _linked(auto: Any, pipeline: Any) -> Any | None:
    """The pipeline of the same parts that AutoPipeline links to this one for a task; None if it knows none."""
    try:
        return auto.from_pipe(pipeline)
    except ValueError:
        return None


def _add_loras(pipeline: Any, loras: Sequence[Lora]) -> None:
    if not loras:
        return
    if importlib.util.find_spec("peft") is None:
        raise ModelError(
            "A LoRA needs peft, which is not installed.", remedy="Run `pip install --no-deps peft accelerate`.", code="model-missing"
        )
    names = [f"lora{number}" for number in range(len(loras))]
    for name, lora in zip(names, loras, strict=True):
        file = Path(lora.file).expanduser()
        try:
            pipeline.load_lora_weights(
                str(file.parent), weight_name=file.name, adapter_name=name, local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError, KeyError, AttributeError, RuntimeError) as error:
            raise ModelError(
                f"{file} does not fit this model: {(str(error).splitlines() or [''])[0]}",
                remedy=ANOTHER_LORA,
                code="model-unsupported",
            ) from error
    acting = {name for adapters in pipeline.get_list_adapters().values() for name in adapters}
    for name, lora in zip(names, loras, strict=True):
        if name not in acting:
            raise ModelError(f"{lora.file} changes nothing in this model.", remedy=ANOTHER_LORA, code="model-unsupported")
    pipeline.set_adapters(names, [lora.scale for lora in loras])


def _prepare(pipeline: Any, settings: LoadSettings) -> None:
    """How it computes; none of it changes what is computed beyond rounding."""
    denoiser: Any = getattr(pipeline, "unet", None) or getattr(pipeline, "transformer", None)
    if settings.attention == "slicing":
        pipeline.enable_attention_slicing()
    elif settings.attention:
        try:
            denoiser.set_attention_backend(settings.attention)
        except (RuntimeError, ValueError, ImportError, AttributeError) as error:
            raise ModelError(
                f"Attention by {settings.attention} is not possible here: {(str(error).splitlines() or [''])[0]}",
                remedy="Leave 'attention' empty: torch then chooses.",
                code="model-unsupported",
            ) from error
    if settings.compile and denoiser is not None:
        denoiser.compile()
