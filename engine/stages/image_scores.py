"""Figures of images, by arithmetic on what vision models saw: against the right person's gallery, and against strangers'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa

from engine.keys import Json
from engine.metrics.images import ImageDefinition, between, cls_r, cls_t, dis_r, nearest, within
from engine.outcome import Answered, Outcome
from engine.stage import Read, Stage, Unit
from engine.stages import strangers
from engine.stages.images import is_edit
from engine.stages.looks import Look, LookAtGallery, Seen


@dataclass(frozen=True, slots=True)
class ImageScore:
    """Figures of one image; None where there is no such figure (no strangers, nothing edited).

    `gray_*`: of image and references without their colours. `stranger_*`: means over the galleries of `strangers` others. `nearest`: the
    largest cosine to a reference in the self-supervised space; `copies`: whether it counts as a copy. `kept_dis` (100 cosine, not clamped)
    and `kept_lpips`: an edit against its source. `quality`: in the definition's order.
    """

    cls_t: float
    cls_r: float
    dis_r: float
    lpips_r: float
    gray_cls_t: float
    gray_cls_r: float
    gray_dis_r: float
    gray_lpips_r: float
    stranger_cls_r: float | None
    stranger_dis_r: float | None
    strangers: int
    nearest: float
    copies: bool
    kept_dis: float | None
    kept_lpips: float | None
    quality: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GalleryScore:
    """A person's gallery: mean distance `within` it, in cosines of the self-supervised space and perceptually, and `between` it and
    strangers' galleries; None where there are no strangers."""

    within: float
    within_lpips: float
    between: float | None
    strangers: int


_TYPES: Mapping[str, pa.DataType] = {"strangers": pa.int32(), "copies": pa.bool_(), "quality": pa.list_(pa.float64())}


def _schema(kind: type) -> pa.Schema:
    return pa.schema([(field.name, _TYPES.get(field.name, pa.float64())) for field in fields(kind)])


class ScoreImage(Stage[ImageScore]):
    """One row an image."""

    kind = "image-score"
    version = 1
    per = "task"
    payload = _schema(ImageScore)
    actor = "scorer"

    def __init__(self, look: Look, galleries: LookAtGallery) -> None:
        self.look, self.galleries = look, galleries
        self.definition: ImageDefinition = look.definition
        self.inputs = (look, galleries)

    @property
    def name(self) -> str:
        return self.look.name.replace(self.look.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.look.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe(), "strangers": strangers.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        others = (Read(self.galleries, subject, optional=True) for subject in unit.strangers)
        return (Read(self.look, unit.key), Read(self.galleries, unit.subject), *others)

    def request(self, unit: Unit, *inputs: Any) -> ImageScore:
        seen, gallery, *others = inputs
        return _score(seen, gallery, [other for other in others if other], self.definition, edited=is_edit(unit))

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [Answered(request) for request in requests]

    def encode(self, value: ImageScore) -> dict[str, Any]:
        return {**asdict(value), "quality": np.array(value.quality)}

    def decode(self, columns: dict[str, Any]) -> ImageScore:
        return ImageScore(**{**columns, "quality": tuple(columns["quality"].tolist())})


class ScoreGallery(Stage[GalleryScore]):
    """One row a person."""

    kind = "gallery-score"
    version = 1
    per = "person"
    payload = _schema(GalleryScore)
    actor = "scorer"

    def __init__(self, galleries: LookAtGallery) -> None:
        self.galleries = galleries
        self.inputs = (galleries,)

    @property
    def name(self) -> str:
        return self.galleries.name.replace(self.galleries.kind, self.kind, 1)

    def parameters(self) -> Mapping[str, Json]:
        return {"strangers": strangers.recipe()}

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return tuple(Read(self.galleries, key, optional=key != unit.subject) for key in (unit.subject, *unit.strangers))

    def request(self, unit: Unit, *inputs: Any) -> GalleryScore:
        own, *others = inputs
        apart = [between(own.self_supervised, other.self_supervised) for other in others if other]
        distances = own.distances[~np.eye(len(own.distances), dtype=np.bool_)]
        return GalleryScore(within(own.self_supervised), float(distances.mean()), float(np.mean(apart)) if apart else None, len(apart))

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        return [Answered(request) for request in requests]

    def encode(self, value: GalleryScore) -> dict[str, Any]:
        return asdict(value)

    def decode(self, columns: dict[str, Any]) -> GalleryScore:
        return GalleryScore(**columns)


def _score(seen: Seen, gallery: Seen, others: Sequence[Seen], definition: ImageDefinition, *, edited: bool) -> ImageScore:
    assert seen.gray is not None
    assert gallery.gray is not None
    references = len(gallery.image_text)
    apart = list(_apart(seen, others))
    cosine = nearest(seen.self_supervised[0], gallery.self_supervised)[1]
    return ImageScore(
        **_against(seen, gallery, references),
        **{f"gray_{name}": value for name, value in _against(seen.gray, gallery.gray, references).items()},
        stranger_cls_r=float(np.mean([each[0] for each in apart])) if apart else None,
        stranger_dis_r=float(np.mean([each[1] for each in apart])) if apart else None,
        strangers=len(apart),
        nearest=cosine,
        copies=cosine >= definition.copying,
        kept_dis=dis_r(seen.self_supervised[0], seen.self_supervised[1:]) if edited else None,
        kept_lpips=float(seen.distances[0, references]) if edited else None,
        quality=tuple(seen.quality[0].tolist()),
    )


def _against(seen: Seen, gallery: Seen, references: int) -> dict[str, float]:
    return {
        "cls_t": cls_t(seen.image_text[0], seen.text[0]),
        "cls_r": cls_r(seen.image_text[0], gallery.image_text),
        "dis_r": dis_r(seen.self_supervised[0], gallery.self_supervised),
        "lpips_r": float(seen.distances[0, :references].astype(np.float64).mean()),
    }


def _apart(seen: Seen, others: Sequence[Seen]) -> Iterator[tuple[float, float]]:
    for other in others:
        yield cls_r(seen.image_text[0], other.image_text), dis_r(seen.self_supervised[0], other.self_supervised)
