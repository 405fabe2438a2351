"""DINOv2: an image's class token as its vector, from a local `transformers` folder or rebuilt from the saliency model's ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from actors.encoder import unit
from actors.models import ModelFiles
from actors.onnx_weights import read_weights
from actors.placement import Placement
from actors.pretrained import pretrained
from engine.errors import ModelError
from engine.images.picture import Picture
from engine.images.preprocessing import IMAGENET, SIDE, cropped, standardised

if TYPE_CHECKING:
    import torch
    from transformers import Dinov2Model

PREPROCESSING = f"crop{SIDE}-{IMAGENET.name}"

_POSITIONS = ("onnx::Concat_1957", "onnx::Reshape_1962")
"""Of the class token (1, 1, 384) and of 37 x 37 patches (1, 1369, 384), as the exporter named them."""


class Dinov2Encoder:
    """Images to the class token after the last layer norm, L2-normalised (METRICS, DIS-R).

    Raises ModelError if the folder holds another model or the file other weights.
    """

    def __init__(self, files: ModelFiles, placement: Placement | None = None) -> None:
        self._placement = placement or Placement()
        self.id = dinov2_id(files, self._placement)
        loaded = _rebuilt(files.folder / files.weights) if files.kind == "image" else _from_folder(files.folder)
        self.dimensions = int(loaded.config.hidden_size)
        self._model: Dinov2Model | None = self._placement.place(loaded)

    def embed(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """(n, d), rows of length 1. Raises ModelError after `close`; errors of memory pass through."""
        import torch

        if self._model is None:
            raise ModelError(f"The encoder {self.id} is closed.", code="model-closed")
        if not pictures:
            return np.empty((0, self.dimensions), np.float32)
        pixels = standardised([cropped(picture) for picture in pictures], IMAGENET)
        with torch.inference_mode():
            tokens = self._model(pixel_values=self._placement.tensor(pixels)).last_hidden_state[:, 0]
        return unit(tokens.float().cpu().numpy().astype(np.float64))

    def close(self) -> None:
        """Let go of the weights; `embed` raises afterwards."""
        self._model = None


def dinov2_id(files: ModelFiles, placement: Placement) -> str:
    """Model, revision, preprocessing and precision."""
    return f"{files.id}+{PREPROCESSING}+{placement.precision}"


def _from_folder(folder: Path) -> Dinov2Model:
    from transformers import Dinov2Model

    return pretrained(Dinov2Model, folder)


def _rebuilt(file: Path) -> Dinov2Model:
    """ViT-S/14 under the names of `transformers`, from the backbone inside the saliency network."""
    import torch
    from transformers import Dinov2Config, Dinov2Model

    found = read_weights(file)
    state: dict[str, torch.Tensor] = {}
    for name, array in found.arrays.items():
        if name.startswith("backbone."):
            state[name.removeprefix("backbone.")] = torch.from_numpy(array.copy())
    for node, factor in found.factors.items():
        if node.startswith("/backbone/") and factor in found.arrays:
            layer = node.removeprefix("/backbone/").removesuffix("/MatMul").replace("/", ".")
            state[f"{layer}.weight"] = torch.from_numpy(found.arrays[factor].T.copy())
    if any(name not in found.arrays for name in _POSITIONS):
        raise ModelError(f"{file} holds no DINOv2 ViT-S/14.", remedy="Install the model again.", code="model-damaged")
    state["embeddings.position_embeddings"] = torch.from_numpy(np.concatenate([found.arrays[name] for name in _POSITIONS], axis=1))
    config = Dinov2Config(hidden_size=384, num_attention_heads=6, image_size=518, patch_size=14, use_mask_token=False)
    # The library's own loader knows the older names that the exporter saw.
    return pretrained(Dinov2Model, None, config=config, state_dict=state)
