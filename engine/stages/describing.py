"""What vision models see in images, put into words: what a judge reads that cannot see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.outcome import Answered, Outcome, together
from engine.stage import Stage, Unit
from engine.stages.images import Galleries, Images, OfGalleries, OfImages


class DescribeStage(Stage[tuple[str, ...]]):
    """A text an image."""

    version = 1
    payload = pa.schema([("texts", pa.list_(pa.string()))])
    actor = "describer"
    describer: str
    """The describer's id."""

    def parameters(self) -> Mapping[str, Json]:
        return {"describer": self.describer}

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        told = iter(actor.describe([name for request in requests for name in request]))
        return [_texts([next(told) for _ in request]) for request in requests]

    def encode(self, value: tuple[str, ...]) -> dict[str, Any]:
        return {"texts": list(value)}

    def decode(self, columns: dict[str, Any]) -> tuple[str, ...]:
        return tuple(columns["texts"])


class DescribeImage(DescribeStage, OfImages[tuple[str, ...]]):
    """Of a prompt's image."""

    kind = "description"

    def __init__(self, images: Images, describer: str) -> None:
        self.images, self.describer = images, describer
        self.inputs = (images,)

    def request(self, unit: Unit, *inputs: Any) -> tuple[str, ...]:
        return (inputs[0].object,)


class DescribeGallery(DescribeStage, OfGalleries[tuple[str, ...]]):
    """Of each of a person's own images."""

    kind = "description-gallery"

    def __init__(self, galleries: Galleries, describer: str) -> None:
        self.galleries, self.describer = galleries, describer
        self.inputs = (galleries,)

    def request(self, unit: Unit, *inputs: Any) -> tuple[str, ...]:
        return tuple(image.object for image in inputs[0].images)


def _texts(outcomes: Sequence[Outcome[str]]) -> Outcome[tuple[str, ...]]:
    told = together(outcomes)
    return Answered(tuple(told.value)) if isinstance(told, Answered) else told
