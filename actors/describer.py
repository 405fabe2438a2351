"""What small vision models see in an image, as a sentence: the first step of the two-step judge for models that cannot see.

It names colours, light, and what an ImageNet classifier takes the image for: no relations, no style. A stand-in for a captioning model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np

from actors.conse import LITE
from actors.efficientnet import EfficientNetLite0
from actors.vision_packages import CLASS_NAMES, EFFICIENTNET, package_files
from engine.errors import Missing, ModelError
from engine.images.colour_names import VERSION as COLOURS
from engine.images.colour_names import colouring
from engine.images.decoding import decode
from engine.images.picture import Picture
from engine.images.preprocessing import cropped, standardised
from engine.outcome import Answered, Failed, Outcome

NAME = "socratic-labels"
VERSION = "1"

TOP, LEAST = 3, 0.08
"""Labels at most, and the probability below which one is not told."""

AT_ONCE = 16


def describer_id() -> str:
    """Its own name, the classifier's weights and the naming rules. Raises ModelError if the weights are not installed."""
    return f"{NAME}-{VERSION}@{package_files(EFFICIENTNET).sha256[:8]}+{COLOURS}-top{TOP}"


class Describer:
    """Usable without Ray: construct with `read` (an image object's bytes by name), `describe`, close. Raises ModelError without weights."""

    def __init__(self, read: Callable[[str], bytes], *, threads: int = 1) -> None:
        import torch

        torch.set_num_threads(threads)
        self.id = describer_id()
        self._read = read
        classifier, names = package_files(EFFICIENTNET), package_files(CLASS_NAMES)
        self._names: list[str] = json.loads((names.folder / names.weights).read_text("utf-8"))
        self._network: EfficientNetLite0 | None = EfficientNetLite0(classifier.folder / classifier.weights)
        self.progress = 0
        """Images so far: a sign of life during a long call."""

    def describe(self, names: Sequence[str]) -> list[Outcome[str]]:
        """One outcome an image object, in order; `Failed` for what is no image or is gone."""
        found: list[Outcome[str]] = []
        for start in range(0, len(names), AT_ONCE):
            found += self._some([self._opened(name) for name in names[start : start + AT_ONCE]])
        return found

    def close(self) -> None:
        """Let go of the model."""
        self._network = None

    def _opened(self, name: str) -> Picture | Failed:
        try:
            outcome = decode(self._read(name))
        except Missing:
            return Failed("image-missing", "The image is gone from the store. Run the same command again.")
        return outcome.value if isinstance(outcome, Answered) else outcome

    def _some(self, opened: Sequence[Picture | Failed]) -> list[Outcome[str]]:
        pictures = [each for each in opened if isinstance(each, Picture)]
        told = iter(self._sentences(pictures))
        return [each if isinstance(each, Failed) else Answered(next(told)) for each in opened]

    def _sentences(self, pictures: Sequence[Picture]) -> list[str]:
        import torch

        if self._network is None:
            raise ModelError(f"The model {self.id} is closed.", code="model-closed")
        if not pictures:
            return []
        pixels = torch.from_numpy(standardised([cropped(picture) for picture in pictures], LITE))
        with torch.inference_mode():
            shares = self._network.logits(pixels).double().softmax(dim=1).numpy()
        self.progress += len(pictures)
        return [self._sentence(picture, row) for picture, row in zip(pictures, shares, strict=True)]

    def _sentence(self, picture: Picture, shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
        seen = colouring(picture.pixels)
        colours = ", ".join(f"{name} {share:.0%}" for name, share in seen.shares) or "many colours"
        likely = [int(i) for i in np.argsort(-shares, kind="stable")[:TOP] if shares[i] >= LEAST]
        labels = ", ".join(self._names[i] for i in likely) or "nothing that the classifier knows"
        return f"{seen.light}, {colours}; may show {labels}"
