"""Who draws images: a diffusion model and how it is asked, as experiment files name them.

What changes an image (model, LoRA, precision, steps, guidance, size) is the renderer's identity; how many are drawn at once and by which
kernels is not.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.config_names import expect_known_and_distinct, free_name
from engine.images.rendering import RenderSettings
from engine.keys import Json

TINY_SCENES = "tiny-scenes"
"""The small diffusion model that comes with the package."""

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
RendererKind = Literal["auto", "text-to-image", "edit"]
Attention = Literal["", "slicing", "flash", "xformers"]

SIDE_PX = 8
"""Latents hold a pixel for 8 x 8 of the image."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Lora(_Strict):
    """Low-rank changes to a model's weights."""

    file: str = Field(min_length=1, description="A .safetensors file on each machine that draws")
    scale: float = Field(1.0, ge=-10, le=10, description="How strongly it acts")

    @field_validator("file")
    @classmethod
    def _is_safetensors(cls, value: str) -> str:
        if PurePath(value).suffix != ".safetensors":
            raise ValueError(f"'{value}' is no .safetensors file; other formats may hold code and are not read")
        return value


class Renderer(_Strict):
    """A diffusion model that draws or edits images."""

    name: str = Field(description="What the renderer is called in every table")
    model: str = Field(min_length=1, description="tiny-scenes, the folder of a diffusers pipeline, or a hub's id with `revision`")
    revision: str = Field("", description="The commit of a hub's model, which is looked for in the hub's cache on this machine")
    kind: RendererKind = Field(
        "auto", description="auto: whatever the checkpoint can do; text-to-image: never edits; edit: every request needs a source image"
    )
    dtype: Dtype = Field("auto", description="auto: bfloat16 if a run is planned beside a GPU that knows it, else float32")
    steps: int = Field(30, ge=1, le=1000, description="Denoising steps")
    guidance: float = Field(7.5, ge=0, le=100, description="Classifier-free guidance; 1: none")
    width: int = Field(512, ge=SIDE_PX, le=4096, multiple_of=SIDE_PX, description="Pixels, a multiple of 8")
    height: int = Field(512, ge=SIDE_PX, le=4096, multiple_of=SIDE_PX, description="Pixels, a multiple of 8")
    strength: float = Field(
        0.6, gt=0, le=1, description="Edits by image-to-image models: how much of the source is drawn anew, one step at least"
    )
    negative: str = Field("", max_length=2000, description="What should not be seen")
    loras: tuple[Lora, ...] = Field((), max_length=8, description="Loaded in this order, all active")
    safety: Literal["on", "off"] = Field("on", description="The checkpoint's own filter, if it has one; what it takes away ends as refused")
    batch: int = Field(4, ge=1, le=1024, description="Images drawn at once; what does not fit into memory is halved")
    compile: bool = Field(False, description="Compile the denoiser when it is first used: minutes at the start, less for each image")
    attention: Attention = Field("", description="slicing: less memory; flash, xformers: those kernels; empty: torch's own choice")

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        return free_name(value, "renderer")

    @model_validator(mode="after")
    def _fits_together(self) -> Renderer:
        if self.revision and not re.fullmatch("[0-9a-f]{40}", self.revision):
            raise ValueError(f"'revision': '{self.revision}' is no commit; a branch or a tag may move, so give its 40 hex digits")
        if self.negative and self.guidance <= 1:
            raise ValueError("'negative' acts through guidance: give a 'guidance' above 1")
        stems = [PurePath(lora.file).stem for lora in self.loras]
        if len(set(stems)) < len(stems):
            raise ValueError("'loras': two files have the same name; tables could not tell them apart")
        return self

    def settings(self) -> RenderSettings:
        """How each image is drawn."""
        return RenderSettings(self.steps, self.guidance, self.width, self.height, self.strength, self.negative)

    def pinned(self, model_id: str) -> dict[str, Json]:
        """The part that can change an image, itself a valid renderer: the model and its LoRA by their id, not by their paths."""
        kept: dict[str, Any] = self.model_dump(mode="json", exclude={"batch", "compile", "attention", "revision", "loras"})
        return {**kept, "model": model_id}


BUILT_IN: dict[str, Renderer] = {
    renderer.name: renderer
    for renderer in (
        Renderer(
            name=TINY_SCENES,
            model=TINY_SCENES,
            dtype="float32",
            steps=20,
            guidance=2,
            width=32,
            height=32,
            batch=8,
        ),
    )
}
"""Renderers that a laptop has: small drawn scenes; they prove the machinery, and give image metrics a direction."""

RENDERER_KINDS = ("<name>", "<model>")
"""How a validation error tells the two kinds of entries of `renderers` apart."""


def _kind_of_renderer(value: Any) -> str:
    return RENDERER_KINDS[0] if isinstance(value, str) else RENDERER_KINDS[1]


AnyRenderer = Annotated[
    Annotated[str, Tag(RENDERER_KINDS[0])] | Annotated[Renderer, Tag(RENDERER_KINDS[1])], Discriminator(_kind_of_renderer)
]


class Images(_Strict):
    """Prompts drawn and looked at: an experiment without this section stays with text."""

    renderers: Annotated[
        tuple[AnyRenderer, ...],
        Field(min_length=1, description="Who draws: tiny-scenes, or an image model: {name, model, steps, ...}"),
    ] = (TINY_SCENES,)
    methods: tuple[str, ...] = Field((), description="Methods and controls whose prompts are drawn; empty: all methods, no control")
    gallery: int = Field(4, ge=2, le=30, description="Captions of each person that are drawn as references")
    image_text: str = Field(
        "conse-efficientnet-minilm", description="Encoder of images and texts (CLS-T, CLS-R): a laptop model, or a CLIP folder"
    )
    self_supervised: str = Field("dinov2-s-saliency", description="Encoder of images alone (DIS-R): a laptop model, or a DINOv2 folder")
    perceptual: str = Field("lpips-alex", description="Perceptual distance (LPIPS-R): lpips-alex or lpips-vgg")
    quality: tuple[str, ...] = Field((), description="Figures that an image has by itself: brisque, or an aesthetic head (.safetensors)")
    precision: Literal["float32", "float16", "bfloat16"] = Field(
        "float32", description="What vision models compute in; halves have ids of their own"
    )
    copying: float = Field(0.95, gt=0, le=1, description="Cosine from which an image counts as the copy of a reference")
    format: Literal["png", "webp"] = Field("png", description="How images are kept, both without loss; it changes no figure")

    @field_validator("renderers")
    @classmethod
    def _known_renderers(cls, values: tuple[str | Renderer, ...]) -> tuple[str | Renderer, ...]:
        expect_known_and_distinct(values, BUILT_IN, "renderer")
        return values
