"""The images of a VPTT run as a list of stages: prompts and galleries drawn, looked at by vision models, and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.config import Experiment
from engine.metrics.images import ImageDefinition
from engine.stage import Stage, with_inputs
from engine.stages.image_scores import ScoreGallery, ScoreImage
from engine.stages.images import Galleries, Images, RenderedBy, Sources
from engine.stages.looks import Look, LookAtGallery
from engine.stages.people import People
from engine.stages.prompt import Prompt
from engine.stages.queries import Draw


@dataclass(frozen=True)
class Drawings:
    """What is measured of images: a score a prompt and renderer, and each renderer's galleries. Empty in an experiment without images."""

    scores: tuple[ScoreImage, ...] = ()
    galleries: tuple[ScoreGallery, ...] = ()
    definition: ImageDefinition | None = None

    @property
    def finals(self) -> Iterator[Stage[Any]]:
        """Stages in which every failure shows."""
        yield from self.galleries
        yield from self.scores

    @property
    def stages(self) -> Iterator[Stage[Any]]:
        """All of them after what they read; shared ones come with each."""
        for stage in self.finals:
            yield from with_inputs(stage)


def definition_of(experiment: Experiment, models: Mapping[str, str]) -> ImageDefinition:
    """What the figures of an experiment's images mean, by its vision models' ids."""
    assert experiment.images is not None
    quality = tuple(models[f"quality:{name}"] for name in experiment.images.quality)
    return ImageDefinition(models["image_text"], models["self_supervised"], models["perceptual"], quality, experiment.images.copying)


def drawings_of(experiment: Experiment, models: Mapping[str, str], people: People, draw: Draw, prompts: Sequence[Prompt]) -> Drawings:
    """The stages of an experiment's images. `models` as in `Vptt.models`."""
    if experiment.images is None:
        return Drawings()
    definition, wanted = definition_of(experiment, models), experiment.images
    shown = wanted.methods or (*experiment.method_names(), *(own.name for own in experiment.own_methods()))
    scores: list[ScoreImage] = []
    galleries: list[ScoreGallery] = []
    for name, renderer in experiment.renderers().items():
        by = RenderedBy(name, models[f"renderer:{name}"], renderer.settings())
        drawn, sources = Galleries(people, by, wanted.gallery), Sources(draw, by)
        look = LookAtGallery(drawn, definition)
        galleries.append(ScoreGallery(look))
        images = [Images(prompt, sources) for prompt in prompts if prompt.label in shown]
        scores += [ScoreImage(Look(each, drawn, definition), look) for each in images]
    return Drawings(tuple(scores), tuple(galleries), definition)
