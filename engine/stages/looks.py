"""What vision models see in images: one decode an image for all of them. Figures are made from this without a model (`image_scores`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.images.looking import Looked, LookRequest
from engine.keys import Json
from engine.metrics.images import ImageDefinition
from engine.outcome import Outcome, together
from engine.stage import Read, Stage, Unit
from engine.stages.images import Galleries, Gallery, Images, OfGalleries, OfImages, image_reads

Vectors: TypeAlias = NDArray[np.float32]

_FLOATS = pa.list_(pa.float32())
_SEEN = ("image_text", "self_supervised", "text", "distances")


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One image, or a person's images in rows.

    `image_text` (n, d), `self_supervised` (n, e), `text` (t, d): vectors of length 1; `distances` (n, others): perceptual distances;
    `quality` (n, measures) in the definition's order. `gray`: the same without colours, without quality.
    """

    image_text: Vectors
    self_supervised: Vectors
    text: Vectors
    distances: Vectors
    quality: NDArray[np.float64]
    gray: Seen | None = None


class LookStage(Stage[Seen]):
    """A unit is one image, or several."""

    version = 1
    payload = pa.schema(
        [
            *((name, pa.int32()) for name in ("images", "texts", "others")),
            *((prefix + name, _FLOATS) for prefix in ("", "gray_") for name in _SEEN),
            ("quality", pa.list_(pa.float64())),
        ]
    )
    actor = "vision"
    definition: ImageDefinition

    def parameters(self) -> Mapping[str, Json]:
        return {"definition": self.definition.recipe()}

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        """All images of all units in one call; a unit of several images is answered if each of them is."""
        looked = iter(actor.look([each for request in requests for each in request]))
        return [together([next(looked) for _ in request]) for request in requests]

    def value(self, unit: Unit, inputs: tuple[Any, ...], reply: Any) -> Seen:
        return _seen(reply, self.definition)

    def encode(self, value: Seen) -> dict[str, Any]:
        assert value.gray is not None
        sizes = {"images": len(value.image_text), "texts": len(value.text), "others": value.distances.shape[1]}
        columns = {prefix + name: getattr(seen, name).ravel() for prefix, seen in (("", value), ("gray_", value.gray)) for name in _SEEN}
        return {**sizes, **columns, "quality": value.quality.ravel()}

    def decode(self, columns: dict[str, Any]) -> Seen:
        n, texts = columns["images"], columns["texts"]

        def seen(prefix: str, quality: NDArray[np.float64], gray: Seen | None) -> Seen:
            rows = {"image_text": n, "self_supervised": n, "text": texts, "distances": n}
            parts = {name: _rows(columns[prefix + name], count) for name, count in rows.items()}
            return Seen(**parts, quality=quality, gray=gray)

        return seen("", _rows(columns["quality"], n), seen("gray_", np.empty((n, 0)), None))


class Look(LookStage, OfImages[Seen]):
    """A prompt's image: against the query's own short text, its person's gallery, and, last, the source that was edited. Where there is a
    source the second row is what was seen of it."""

    kind = "look"

    def __init__(self, images: Images, galleries: Galleries, definition: ImageDefinition) -> None:
        self.images, self.galleries, self.definition = images, galleries, definition
        self.inputs = (images, galleries, images.sources)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        image, *source = image_reads(unit, self.images, self.images.sources)
        return (image, Read(self.galleries, unit.subject), *source)

    def request(self, unit: Unit, *inputs: Any) -> tuple[LookRequest, ...]:
        image, gallery, *source = inputs
        assert unit.query is not None
        against = tuple(each.object for each in (*gallery.images, *source))
        return tuple(LookRequest(each.object, (unit.query.text,), against, gray=True) for each in (image, *source))


class LookAtGallery(LookStage, OfGalleries[Seen]):
    """A person's gallery, each image against the others: the features of references are computed once a person."""

    kind = "look-gallery"

    def __init__(self, galleries: Galleries, definition: ImageDefinition) -> None:
        self.galleries, self.definition = galleries, definition
        self.inputs = (galleries,)

    def request(self, unit: Unit, *inputs: Any) -> tuple[LookRequest, ...]:
        gallery: Gallery = inputs[0]
        names = tuple(image.object for image in gallery.images)
        return tuple(LookRequest(name, (), names, gray=True) for name in names)


def _seen(looked: Sequence[Looked], definition: ImageDefinition) -> Seen:
    grays = [each.gray for each in looked if each.gray is not None]
    quality = [[each.quality[id_] for id_ in definition.quality] for each in looked]
    without_colours = _twin(grays, definition, np.empty((len(grays), 0)), None)
    return _twin(looked, definition, np.array(quality, np.float64).reshape(len(looked), -1), without_colours)


def _twin(looked: Sequence[Looked], definition: ImageDefinition, quality: NDArray[np.float64], gray: Seen | None) -> Seen:
    return Seen(
        image_text=_stacked(each.vectors[definition.image_text] for each in looked),
        self_supervised=_stacked(each.vectors[definition.self_supervised] for each in looked),
        text=_stacked(looked[0].texts.get(definition.image_text, ())),
        distances=_stacked(each.distances.get(definition.perceptual, np.empty(0)) for each in looked),
        quality=quality,
        gray=gray,
    )


def _stacked(rows: Iterable[Any]) -> Vectors:
    found = [np.asarray(row, np.float32) for row in rows]
    return np.stack(found) if found else np.empty((0, 0), np.float32)


def _rows(flat: Any, count: int) -> Any:
    return flat.reshape(count, -1) if count else np.empty((0, 0), flat.dtype)
