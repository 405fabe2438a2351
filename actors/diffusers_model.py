"""Any diffusers checkpoint as an `ImageModel`: requests of equal settings share a batch, each with a generator of its own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from actors.diffusers_files import PipelineFiles
from actors.diffusers_loading import Loaded, LoadSettings, load, quiet
from engine.errors import ModelError
from engine.images.picture import Pixels
from engine.images.rendering import BLANK_IMAGE, EMPTY_PROMPT, NO_EDITING, NO_SOURCE, RenderRequest, RenderSettings
from engine.outcome import Answered, Failed, Outcome, Refused

if TYPE_CHECKING:
    from PIL.Image import Image


class DiffusersModel:
    """Draws and edits with the pipelines of a checkpoint.

    A request's noise comes from a generator on the CPU that its seed alone decides. On the CPU every batch is filled up to `batch`:
    kernels round by the size of a batch, not by a row's place in it, so an image is the same bytes whatever is drawn beside it. GPUs are
    not given rows to waste: there an image drawn in a batch of another size may differ by a level in few pixels.

    Args:
        files: the checkpoint.
        settings: what it is loaded as.
        id: the model with its revision and precision, for tables.
        batch: images drawn at once.
        threads: CPU threads, for the whole process.

    Raises:
        ModelError: it cannot be loaded, or does not what is asked.
    """

    def __init__(self, files: PipelineFiles, settings: LoadSettings, *, id: str, batch: int = 4, threads: int = 1) -> None:
        if batch < 1 or threads < 1:
            raise ValueError(f"batch {batch} and threads {threads} must be at least 1")
        self.id = id
        self._batch, self._threads, self._fills = batch, threads, settings.device == "cpu"
        self.cut = 0
        """Prompts so far of which the text encoders did not read the end."""
        self._set_threads()
        self._loaded: Loaded | None = load(files, settings)

    def render(self, requests: Sequence[RenderRequest]) -> Iterator[tuple[int, Outcome[Pixels]]]:
        """(index, outcome) after each batch: Failed as in `engine.images.rendering`; Refused where the checkpoint's filter objects."""
        if self._loaded is None:
            raise ModelError(f"The renderer {self.id} is closed.", code="model-closed")
        groups: dict[tuple[RenderSettings, bool], list[int]] = {}
        for index, request in enumerate(requests):
            failed = self._undrawable(request)
            if failed:
                yield index, failed
            else:
                groups.setdefault((request.settings, request.source is not None), []).append(index)
        for (_, edits), group in groups.items():
            size = self._batch if not edits or _edits_batches(self._loaded.edits) else 1
            for start in range(0, len(group), size):
                batch = group[start : start + size]
                yield from zip(batch, self._draw([requests[index] for index in batch], size), strict=True)

    def close(self) -> None:
        """Let go of the weights; `render` raises afterwards."""
        self._loaded = None

    def _undrawable(self, request: RenderRequest) -> Failed | None:
        assert self._loaded is not None
        if not request.prompt.strip():
            return Failed(EMPTY_PROMPT, "There is nothing to draw: the prompt is empty.")
        if request.source is not None and self._loaded.edits is None:
            return Failed(NO_EDITING, f"{self.id} cannot edit an image: AutoPipeline knows no image to image for it.")
        if request.source is None and self._loaded.draws is None:
            return Failed(NO_SOURCE, f"{self.id} edits images and was given none.")
        return None

    def _draw(self, requests: list[RenderRequest], size: int) -> list[Outcome[Pixels]]:
        """One outcome a request; all have the same settings, and all or none a source."""
        import torch

        assert self._loaded is not None
        self._set_threads()
        pipeline: Any = self._loaded.draws if requests[0].source is None else self._loaded.edits
        self.cut += _cut(pipeline, [request.prompt for request in requests])
        filled = requests + requests[-1:] * (size - len(requests) if self._fills else 0)
        with quiet():
            drawn = pipeline(**_arguments(pipeline, filled))
        values = drawn.images[: len(requests)].float()
        finite = torch.isfinite(values).flatten(1).all(1).tolist()
        # As diffusers makes PIL images, but on the device: a quarter of the bytes leave it.
        pixels = (values.nan_to_num() * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous().cpu().numpy()
        flagged = getattr(drawn, "nsfw_content_detected", None) or [False] * len(requests)
        return [_outcome(*each) for each in zip(pixels, finite, flagged[: len(requests)], strict=True)]

    def _set_threads(self) -> None:
        import torch

        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)


def _outcome(pixels: Pixels, finite: bool, flagged: bool) -> Outcome[Pixels]:
    if flagged:
        return Refused("safety filter: the checkpoint's own took the image away")
    if not finite:
        return Failed(BLANK_IMAGE, "The model gave values that are no picture; half precision may: try another dtype.")
    return Answered(pixels)


def _arguments(pipeline: Any, requests: list[RenderRequest]) -> dict[str, Any]:
    """What the pipeline is called with: of all that a request says, what this pipeline takes."""
    import torch

    settings = requests[0].settings
    takes = inspect.signature(type(pipeline).__call__).parameters
    given: dict[str, Any] = {
        "prompt": [request.prompt for request in requests],
        "num_inference_steps": settings.steps,
        "width": settings.width,
        "height": settings.height,
        "strength": max(settings.strength, min(1.0, 1.001 / settings.steps)),  # pipelines refuse less than one step
        "generator": [torch.Generator().manual_seed(request.seed) for request in requests],
        "output_type": "pt",
        **_guidance(takes, settings),
    }
    if settings.negative:
        if "negative_prompt" not in takes:
            raise ModelError(
                f"{type(pipeline).__name__} takes no negative prompt.", remedy="Leave 'negative' out.", code="model-unsupported"
            )
        given["negative_prompt"] = [settings.negative] * len(requests)
    if requests[0].source is not None:
        sources = [_source(request) for request in requests]
        given["image"] = sources if _edits_batches(pipeline) else sources[0]
    return {name: value for name, value in given.items() if name in takes}


def _guidance(takes: Mapping[str, inspect.Parameter], settings: RenderSettings) -> dict[str, float]:
    """Classifier-free guidance under the pipeline's name for it: models distilled with guidance take that as `guidance_scale`, and the real
    one, which a negative prompt needs, as `true_cfg_scale`."""
    if "true_cfg_scale" in takes and (takes["guidance_scale"].default is None or settings.negative):
        return {"true_cfg_scale": settings.guidance}
    return {"guidance_scale": settings.guidance}


def _edits_batches(pipeline: Any) -> bool:
    """Whether a list of images is one for each prompt; newer editors take it for several views of one."""
    return "strength" in inspect.signature(type(pipeline).__call__).parameters or "InstructPix2Pix" in type(pipeline).__name__


def _source(request: RenderRequest) -> Image:
    """The source at the size of the image that is asked for."""
    from PIL import Image

    assert request.source is not None
    image = Image.fromarray(request.source.pixels)
    size = (request.settings.width, request.settings.height)
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)


def _cut(pipeline: Any, prompts: list[str]) -> int:
    """How many prompts are longer than every text encoder of the pipeline reads."""
    tokenizers = [part for name, part in pipeline.components.items() if name.startswith("tokenizer") and hasattr(part, "model_max_length")]
    if not tokenizers:
        return 0
    return int(np.sum(np.min([[len(each(prompt).input_ids) > each.model_max_length for prompt in prompts] for each in tokenizers], axis=0)))
