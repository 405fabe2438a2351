"""ConSE (Norouzi et al. 2014): image and text in one space without joint training. A picture lies where its likely classes' names do."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from actors.efficientnet import EfficientNetLite0
from actors.encoder import SentenceEncoder, unit
from actors.models import ModelFiles
from actors.placement import Placement
from engine.errors import ModelError
from engine.images.picture import Picture
from engine.images.preprocessing import SIDE, ChannelStatistics, cropped, standardised
from engine.keys import content_key

NAME = "conse-efficientnet-minilm"
"""Its own name, never CLIP's: it knows what can be said with 1000 class names and no relations, styles or colours."""

TOP = 10
"""Classes that a picture's vector is made of; the paper's T."""

LITE = ChannelStatistics("lite", (127 / 255,) * 3, (128 / 255,) * 3)
"""What EfficientNet-Lite was trained with."""

PREPROCESSING = f"crop{SIDE}-{LITE.name}-top{TOP}"


class Conse:
    """Images to the probability-weighted mean of their top classes' name vectors, L2-normalised; texts by the same sentence encoder.

    Args:
        classifier, names: EfficientNet-Lite0's weights, and the JSON list of its 1000 classes' names.
        sentences: the sentence encoder's files.

    The network computes in float32 on any device; the sentence encoder on the CPU. Raises ModelError for files that hold other things.
    """

    def __init__(self, classifier: ModelFiles, names: ModelFiles, sentences: ModelFiles, placement: Placement | None = None) -> None:
        self._placement = placement or Placement()
        self.id = conse_id(classifier, names, sentences, self._placement)
        listed = json.loads((names.folder / names.weights).read_text("utf-8"))
        if not isinstance(listed, list) or len(listed) != 1000:
            raise ModelError(f"{names.folder / names.weights} lists no 1000 class names.", code="model-unsupported")
        self._network: EfficientNetLite0 | None = EfficientNetLite0(classifier.folder / classifier.weights).to(self._placement.device)
        self._sentences = SentenceEncoder(sentences, threads=self._placement.threads)
        self._classes = self._sentences.encode(listed).vectors
        self.dimensions = self._sentences.dimensions

    def embed(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """(n, d), rows of length 1. Raises ModelError after `close`; errors of memory pass through."""
        import torch

        if self._network is None:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        if not pictures:
            return np.empty((0, self.dimensions), np.float32)
        pixels = torch.from_numpy(standardised([cropped(picture) for picture in pictures], LITE)).to(self._placement.device)
        with torch.inference_mode():
            shares, classes = self._network.logits(pixels).double().softmax(dim=1).topk(TOP, dim=1)
        weights = shares.cpu().numpy()
        return unit(np.einsum("nt,ntd->nd", weights, self._classes[classes.cpu().numpy()].astype(np.float64)))

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d), rows of length 1."""
        return self._sentences.encode(texts).vectors

    def close(self) -> None:
        """Let go of both models; `embed` raises afterwards."""
        self._network = None
        self._sentences.close()


def conse_id(classifier: ModelFiles, names: ModelFiles, sentences: ModelFiles, placement: Placement) -> str:
    """The three sets of files, preprocessing and precision. Raises ModelError for a precision other than float32."""
    if placement.precision != "float32":
        raise ModelError(f"{NAME} computes in float32 only, not {placement.precision}.", code="model-unsupported")
    digest = content_key([classifier.id, names.id, sentences.id])
    return f"{NAME}@{digest[:8]}+{PREPROCESSING}+{placement.precision}"
