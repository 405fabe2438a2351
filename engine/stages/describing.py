"""What vision models see in images, put into words: what a judge reads that cannot see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.keys import Json
from engine.outcome import Answered, Outcome, together
from engine.stage import Read, Stage, Unit
from engine.stages.images import Galleries, Images


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


class DescribeImage(DescribeStage):
    """Of a prompt's image."""

    kind = "description"
    per = "task"

    def __init__(self, images: Images, describer: str) -> None:
        self.images, self.describer = images, describer
        self.inputs = (images,)

    @property
    def name(self) -> str:
        return self.images.name.replace(self.images.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.images.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.images, self.images.row_key(unit)),)

    def request(self, unit: Unit, *inputs: Any) -> tuple[str, ...]:
        return (inputs[0].object,)


class DescribeGallery(DescribeStage):
    """Of each of a person's own images."""

    kind = "description-gallery"
    per = "person"

    def __init__(self, galleries: Galleries, describer: str) -> None:
        self.galleries, self.describer = galleries, describer
        self.inputs = (galleries,)

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.galleries.by.name}"

    def request(self, unit: Unit, *inputs: Any) -> tuple[str, ...]:
        return tuple(image.object for image in inputs[0].images)


def _texts(outcomes: Sequence[Outcome[str]]) -> Outcome[tuple[str, ...]]:
    told = together(outcomes)
    return Answered(tuple(told.value)) if isinstance(told, Answered) else told
