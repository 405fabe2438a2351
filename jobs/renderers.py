"""Renderers and vision models by what an experiment says of them: ids for fingerprints without loading anything, then the actors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.config import Experiment
from engine.errors import ConfigError, ModelError
from engine.image_config import Images, Renderer

if TYPE_CHECKING:
    from actors.placement import Placement
    from actors.renderer import Renderer as RendererActor
    from actors.vision import Vision

RENDERER = "renderer:"
"""Begins the name of a renderer's actor, and of its id among the models of a plan."""

QUALITY = "quality:"

_STAND_INS = {
    "tiny-scenes": "tiny-scenes for a text-to-image model",
    "conse": "conse-efficientnet-minilm for CLIP",
    "dinov2-s-saliency": "dinov2-s-saliency for DINOv2",
    "lpips-alex": "lpips-alex for LPIPS-VGG",
}
"""What the id of a stand-in begins with, and what it is."""


_NO_SIGNAL = (
    (
        ("tiny-scenes", "conse"),
        "No signal here: CLS-T by conse-efficientnet-minilm does not tell the right text from a wrong one on tiny-scenes' drawings "
        "(paired AUC .52, 95 % interval .45 to .59).",
    ),
    (
        ("tiny-scenes", "brisque"),
        "No signal here: BRISQUE knows photographs; on tiny-scenes' drawings it prefers the damaged one (paired AUC .33, 95 % interval .27 "
        "to .41).",
    ),
)
"""What the ids of two models begin with whose figure says nothing together, as `benchmarks/image_direction.py` measured."""


def image_ids(experiment: Experiment) -> dict[str, str]:
    """Of an experiment with images: the id of each "renderer:<name>", of the vision models by their role ("image_text", "self_supervised",
    "perceptual") and of each "quality:<name>". Raises ModelError if a model is not installed, ConfigError if one does not fit its role."""
    if (images := experiment.images) is None:
        return {}
    from actors.image_models import image_model_id
    from actors.placement import Placement
    from actors.vision_models import encoder_id, perceptual_id, quality_id, reads_texts

    if not reads_texts(images.image_text):
        raise ConfigError(f"images.image_text: {images.image_text} reads no text.", remedy="Give a CLIP folder, or leave the default.")
    place, encoders = Placement(precision=images.precision), (images.image_text, images.self_supervised)
    return {
        **{RENDERER + name: image_model_id(renderer) for name, renderer in experiment.renderers().items()},
        "image_text": encoder_id(images.image_text, place),
        "self_supervised": encoder_id(images.self_supervised, place),
        "perceptual": perceptual_id(images.perceptual, place),
        **{QUALITY + name: quality_id(name, encoders, place) for name in images.quality},
    }


def image_options(experiment: Experiment) -> dict[str, object]:
    """What workers need to make these actors: configurations by name, and threads."""
    if experiment.images is None:
        return {}
    pools = experiment.execution
    return {
        "renderers": {name: renderer.model_dump(mode="json") for name, renderer in experiment.renderers().items()},
        "images": experiment.images.model_dump(mode="json"),
        "renderer_threads": (pools.renderer or pools.encoder).threads,
        "vision_threads": (pools.vision or pools.encoder).threads,
    }


def make_renderer(name: str, options: Mapping[str, Any], expected: str) -> RendererActor:
    """The renderer called `name`, over the store of `options`. Raises ModelError if what is here is not what the plan names."""
    from actors.image_models import make_image_model
    from actors.renderer import Renderer as RendererActor
    from engine.images.stored import ImageObjects
    from engine.store.opening import open_backend

    config = Renderer.model_validate(options["renderers"][name])
    model = make_image_model(config, planned=expected, threads=int(options["renderer_threads"]))
    images = Images.model_validate(options["images"])
    return RendererActor(model, ImageObjects(open_backend(str(options["store"]), proven=True), images.format))


def make_vision(options: Mapping[str, Any], models: Mapping[str, str]) -> Vision:
    """The vision models of an experiment, over the store of `options`. Raises ModelError if one is not what the plan names."""
    from actors.vision import Vision
    from actors.vision_models import make_encoder, make_perceptual, make_quality
    from engine.store.opening import open_backend

    images = Images.model_validate(options["images"])
    place, names = _placement(images, threads=int(options["vision_threads"])), (images.image_text, images.self_supervised)
    found: dict[str, Any] = {
        "image_text": make_encoder(images.image_text, place),
        "self_supervised": make_encoder(images.self_supervised, place),
        "perceptual": make_perceptual(images.perceptual, place),
        **{QUALITY + name: make_quality(name, names, place) for name in images.quality},
    }
    for role, model in found.items():
        if model.id != models[role]:
            raise ModelError(f"{role} is {model.id} here, the plan names {models[role]}.", remedy="Install the same weights on every node.")
    encoders, quality = [found["image_text"], found["self_supervised"]], [found[QUALITY + name] for name in images.quality]
    backend = open_backend(str(options["store"]), proven=True)
    return Vision(encoders, [found["perceptual"]], quality, backend.read)


def _placement(images: Images, *, threads: int) -> Placement:
    """On the GPU if there is one."""
    import torch

    from actors.placement import Placement

    return Placement("cuda" if torch.cuda.is_available() else "cpu", images.precision, threads)


def without_signal(models: Mapping[str, str]) -> tuple[str, ...]:
    """Which figures were measured to tell nothing with these models."""
    ids = list(models.values())
    return tuple(told for both, told in _NO_SIGNAL if all(any(id_.startswith(begin) for id_ in ids) for begin in both))


def image_stand_ins(models: Mapping[str, str]) -> tuple[str, ...]:
    """What stands in for a model that benchmarks name, among the ids of a plan."""
    return tuple(told for begin, told in _STAND_INS.items() if any(id_.startswith(begin) for id_ in models.values()))
