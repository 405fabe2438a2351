"""Images as stages: each prompt's image, the source that an edit begins from, and each person's gallery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import pyarrow as pa

from engine.images.rendering import DrawRequest, RenderRequest, RenderSettings
from engine.images.stored import StoredImage
from engine.keys import Json, content_key, seed_of
from engine.outcome import Answered, Failed, Outcome
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages.people import People
from engine.stages.prompt import Prompt
from engine.stages.queries import Draw

_IMAGE = (
    *((name, pa.string()) for name in ("object", "thumbnail", "sha256")),
    *((name, pa.int32()) for name in ("width", "height", "size")),
)
V = TypeVar("V")

_DIGEST = "image_sha256"
"""The column of an image's digest: "sha256" is the row's own."""

FEWEST = 2
"""Images without which a gallery is none: diversity needs two, and one reference is an anecdote."""


@dataclass(frozen=True, slots=True)
class RenderedBy:
    """Who draws and how: the renderer's name, what pins everything that changes its images, and its settings."""

    name: str
    id: str
    settings: RenderSettings

    @property
    def actor(self) -> str:
        """Its actor."""
        return f"renderer:{self.name}"

    def recipe(self) -> dict[str, Json]:
        """For fingerprints."""
        return {"renderer": self.id, "settings": asdict(self.settings)}


class ImageStage(Stage[StoredImage]):
    """One image a unit."""

    per = "task"
    payload = pa.schema([(_DIGEST if name == "sha256" else name, type_) for name, type_ in _IMAGE])

    def draw(self, prompt: str, seed: int, source: StoredImage | None = None, settings: RenderSettings | None = None) -> DrawRequest:
        """The call for an image. Its key holds all that is drawn from, so that another prompt of the same unit is another object."""
        made_of = [prompt, str(seed), source.sha256 if source else ""]
        request = RenderRequest(content_key(made_of), prompt, settings or self.by.settings, seed)
        return DrawRequest(self.id, request, source)

    by: RenderedBy

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        outcomes: Sequence[Outcome[Any]] = actor.render(requests)
        return outcomes

    def encode(self, value: StoredImage) -> dict[str, Any]:
        columns = asdict(value)
        columns[_DIGEST] = columns.pop("sha256")
        return columns

    def decode(self, columns: dict[str, Any]) -> StoredImage:
        return StoredImage(**{"sha256" if name == _DIGEST else name: value for name, value in columns.items()})


class Sources(ImageStage):
    """What editing queries edit: their neutral scene, drawn with the scene's own seed, so that all people and methods get one image."""

    kind = "source"
    version = 1

    def __init__(self, draw: Draw, by: RenderedBy) -> None:
        self.drawn, self.by = draw, by
        self.actor = by.actor

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.by.name}"

    def takes(self, unit: Unit) -> bool:
        return is_edit(unit)

    def parameters(self) -> Mapping[str, Json]:
        return {**self.by.recipe(), "draw": self.drawn.recipe()}

    def request(self, unit: Unit, *inputs: Any) -> DrawRequest:
        assert unit.query is not None
        return self.draw(unit.query.source_caption, seed_of("source", unit.query.source_caption, self.by.id))


class Images(ImageStage):
    """The image of a prompt. A unit's seed is the same for every method, so that methods differ by their prompts and not by noise."""

    kind = "image"
    version = 1

    def __init__(self, prompt: Prompt, sources: Sources) -> None:
        self.prompt, self.sources, self.by = prompt, sources, sources.by
        self.inputs = (prompt, sources)
        self.actor = self.by.actor

    @property
    def name(self) -> str:
        return f"{self.prompt.name.replace(self.prompt.kind, self.kind, 1)}-{self.by.name}"

    def takes(self, unit: Unit) -> bool:
        return self.prompt.takes(unit)

    def parameters(self) -> Mapping[str, Json]:
        return self.by.recipe()

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return image_reads(unit, self.prompt, self.sources)

    def request(self, unit: Unit, *inputs: Any) -> DrawRequest:
        written, *source = inputs
        return self.draw(written.prompt, seed_of("image", unit.key, self.by.id), *source)


@dataclass(frozen=True, slots=True)
class Gallery:
    """A person's images; `failed` counts captions that gave none."""

    images: tuple[StoredImage, ...]
    failed: int


class Galleries(Stage[Gallery]):
    """Each person's own pictures: captions of theirs, drawn. What images are compared with, one row a person."""

    kind = "gallery"
    version = 1
    per = "person"
    payload = pa.schema([("images", pa.list_(pa.struct([*_IMAGE]))), ("failed", pa.int32())])

    def __init__(self, people: People, by: RenderedBy, size: int) -> None:
        self.inputs = (people,)
        self.by, self.size = by, size
        self.actor = by.actor

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.by.name}"

    def parameters(self) -> Mapping[str, Json]:
        return {**self.by.recipe(), "size": self.size}

    def request(self, unit: Unit, *inputs: Any) -> tuple[DrawRequest, ...] | Failed:
        profile: Profile = inputs[0]
        if len(profile.captions) < FEWEST:
            return Failed("no-captions", f"A gallery needs {FEWEST} captions; the person has {len(profile.captions)}.")
        return tuple(self._draw(unit, number, text) for number, text in enumerate(_spread(profile, self.size)))

    def _draw(self, unit: Unit, number: int, text: str) -> DrawRequest:
        seed = seed_of("gallery", unit.key, str(number), self.by.id)
        return DrawRequest(self.id, RenderRequest(content_key([text, str(seed)]), text, self.by.settings, seed))

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        drawn = iter(actor.render([each for request in requests for each in request]))
        return [_gallery([next(drawn) for _ in request]) for request in requests]

    def encode(self, value: Gallery) -> dict[str, Any]:
        return {"images": [asdict(image) for image in value.images], "failed": value.failed}

    def decode(self, columns: dict[str, Any]) -> Gallery:
        return Gallery(tuple(StoredImage(**image) for image in columns["images"]), columns["failed"])


class OfImages(Stage[V]):
    """A stage with a row for each image of a prompt."""

    per = "task"
    images: Images

    @property
    def name(self) -> str:
        return self.images.name.replace(self.images.kind, self.kind, 1)

    def takes(self, unit: Unit) -> bool:
        return self.images.takes(unit)


class OfGalleries(Stage[V]):
    """A stage with a row for each person's gallery."""

    per = "person"
    galleries: Galleries

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.galleries.by.name}"


def is_edit(unit: Unit) -> bool:
    """Whether the unit's query edits a source image."""
    return unit.query is not None and bool(unit.query.source_caption)


def image_reads(unit: Unit, first: Stage[Any], sources: Sources) -> tuple[Read, ...]:
    """What is read of a unit's image or prompt, with the source beside it where one is edited."""
    source = (Read(sources, unit.key),) if is_edit(unit) else ()
    return (Read(first, first.row_key(unit)), *source)


def _spread(profile: Profile, size: int) -> list[str]:
    """`size` captions over the whole of a person's, in their order; all if there are no more."""
    captions, n = profile.captions, min(size, len(profile.captions))
    return [captions[number * len(captions) // n].text for number in range(n)]


def _gallery(outcomes: Sequence[Outcome[StoredImage]]) -> Outcome[Gallery]:
    images = tuple(outcome.value for outcome in outcomes if isinstance(outcome, Answered))
    if len(images) >= min(FEWEST, len(outcomes)):
        return Answered(Gallery(images, len(outcomes) - len(images)))
    return next(outcome for outcome in outcomes if not isinstance(outcome, Answered))
