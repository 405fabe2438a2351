"""What an image model is asked and what it answers: text to image, and the editing of a source image.

Outcomes: Answered(pixels); Refused where a safety filter took the image away; Failed with one of the codes below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from engine.outcome import Outcome

if TYPE_CHECKING:  # so that reading an experiment file needs no numpy
    from engine.images.picture import Picture, Pixels
    from engine.images.stored import StoredImage

EMPTY_PROMPT = "empty-prompt"
"""Failed, permanent: there is nothing to draw."""

NO_EDITING = "no-editing"
"""Failed, permanent: the model cannot edit a source image."""

NO_SOURCE = "no-source"
"""Failed, permanent: the model only edits, and there is no image to edit."""

BLANK_IMAGE = "blank-image"
"""Failed, permanent: the model gave values that are no picture (not finite), as half precision may."""


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How an image is drawn. Requests of equal settings may share a batch.

    `steps` of denoising, classifier-free `guidance` (1: none), `width` and `height` in pixels; `strength` of an edit (0 to 1): how much of
    the source is drawn anew; `negative`: what should not be seen.
    """

    steps: int
    guidance: float
    width: int
    height: int
    strength: float = 0.6
    negative: str = ""


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """One image. `seed` comes from keys: it alone decides the noise, whatever else is in the batch. With `source` the image is edited."""

    key: str
    prompt: str
    settings: RenderSettings
    seed: int
    source: Picture | None = None


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """An image that a stage wants in the store, under the key of its request. An edit's source lies in the store as well: whoever draws
    reads it, and puts it into the request."""

    stage: str
    request: RenderRequest
    source: StoredImage | None = None


class ImageModel(Protocol):
    """A text-to-image or editing model. Usable without Ray: construct, call with a batch, close."""

    id: str
    """The model with its revision and the precision it computes in, as tables and fingerprints name it."""

    def render(self, requests: Sequence[RenderRequest]) -> Iterator[tuple[int, Outcome[Pixels]]]:
        """(index of the request, outcome), each as soon as it is known and in any order, every index once.

        What is done with an image happens while the next batch is drawn. Raises EngineDied, ModelError; memory errors pass through.
        """
        ...

    def close(self) -> None:
        """Let go of the model."""
        ...
