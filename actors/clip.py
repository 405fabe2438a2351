"""CLIP from a local `transformers` folder: images and texts as vectors of one space (METRICS, CLS-T and CLS-R)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from actors.encoder import decodable, load_tokenizer, unit
from actors.models import TOKENIZER, ModelFiles
from actors.placement import Placement
from actors.pretrained import pretrained
from engine.errors import ModelError
from engine.images.picture import Picture
from engine.images.preprocessing import OPENAI, cropped, standardised

if TYPE_CHECKING:
    from transformers import CLIPModel


class ClipEncoder:
    """Images and texts to CLIP's projections, L2-normalised. A long text is cut to the model's 77 ids with its end token put back.

    Raises ModelError if the folder holds another model.
    """

    def __init__(self, files: ModelFiles, placement: Placement | None = None) -> None:
        from transformers import CLIPModel

        self._placement = placement or Placement()
        self.id = clip_id(files, self._placement)
        loaded = pretrained(CLIPModel, files.folder)
        config: Any = loaded.config
        self.dimensions = int(config.projection_dim)
        self._side = int(config.vision_config.image_size)
        self._most = int(config.text_config.max_position_embeddings)
        self._tokenizer = load_tokenizer(Path(files.folder) / TOKENIZER)
        self._model: CLIPModel | None = self._placement.place(loaded)

    def embed(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """(n, d), rows of length 1. Raises ModelError after `close`; errors of memory pass through."""
        import torch

        model = self._open()
        if not pictures:
            return np.empty((0, self.dimensions), np.float32)
        pixels = standardised([cropped(picture, self._side) for picture in pictures], OPENAI)
        with torch.inference_mode():
            projected = model.get_image_features(pixel_values=self._placement.tensor(pixels)).pooler_output
        return unit(projected.float().cpu().numpy().astype(np.float64))

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d), rows of length 1; any texts, the empty one too."""
        import torch

        model = self._open()
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        rows = [self.ids(text) for text in texts]
        longest = max(map(len, rows))
        # Attention looks back only, so what stands behind the end token changes nothing; the end token is CLIP's own filling.
        ids = torch.tensor([row + row[-1:] * (longest - len(row)) for row in rows], device=self._placement.device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=self._placement.device)
        with torch.inference_mode():
            projected = model.get_text_features(input_ids=ids, attention_mask=mask).pooler_output
        return unit(projected.float().cpu().numpy().astype(np.float64))

    def ids(self, text: str) -> list[int]:
        """The token ids that the model reads: at most 77, the last of them the end token."""
        ids: list[int] = self._tokenizer.encode(decodable(text)).ids
        return ids if len(ids) <= self._most else [*ids[: self._most - 1], ids[-1]]

    def close(self) -> None:
        """Let go of the weights; `embed` raises afterwards."""
        self._model = None

    def _open(self) -> CLIPModel:
        if self._model is None:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        return self._model


def clip_id(files: ModelFiles, placement: Placement) -> str:
    """Model, revision, preprocessing and precision; the side of the crop is in the model's revision."""
    return f"{files.id}+crop-{OPENAI.name}+{placement.precision}"
