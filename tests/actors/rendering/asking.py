"""Short ways to ask a renderer in tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from actors.image_models import make_image_model
from engine.image_config import Renderer
from engine.images.picture import Pixels
from engine.images.rendering import ImageModel, RenderRequest
from engine.outcome import Answered, Outcome

WORDS = ("red", "blue", "green", "old", "new", "tiny", "big")


def renderer(folder: Path, **changes: Any) -> Renderer:
    """A quick renderer of a checkpoint."""
    quick = {
        "name": "random-sd",
        "model": str(folder),
        "dtype": "float32",
        "steps": 3,
        "guidance": 5,
        "width": 32,
        "height": 32,
        "batch": 2,
    }
    return Renderer(**{**quick, **changes})


def model(folder: Path, **changes: Any) -> ImageModel:
    """The same, loaded."""
    return make_image_model(renderer(folder, **changes))


def requests(count: int, **changes: Any) -> list[RenderRequest]:
    """Different prompts and seeds."""
    settings = renderer(Path("unused"), **changes).settings()
    return [RenderRequest(f"k{number}", f"a {WORDS[number % 7]} cat", settings, seed=1000 + number) for number in range(count)]


def outcomes(model: ImageModel, asked: Sequence[RenderRequest]) -> list[Outcome[Pixels]]:
    """In the order of the requests; each index must come once."""
    told = list(model.render(asked))
    assert sorted(index for index, _ in told) == list(range(len(asked)))
    return [outcome for _, outcome in sorted(told, key=lambda each: each[0])]


def drawn(model: ImageModel, asked: Sequence[RenderRequest]) -> list[Pixels]:
    """All must be answered."""
    found = outcomes(model, asked)
    assert all(isinstance(outcome, Answered) for outcome in found), found
    return [outcome.value for outcome in found if isinstance(outcome, Answered)]
