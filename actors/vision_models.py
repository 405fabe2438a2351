"""From the names of image models in an experiment to their ids and to the objects that see: the twin of `actors.encoders` for images."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from actors.models import ModelFiles, resolve
from actors.placement import Placement
from actors.vision_packages import BRISQUE, CLASS_NAMES, DINOV2_SALIENCY, EFFICIENTNET, LPIPS_ALEX, LPIPS_VGG, package_files
from engine.errors import ModelError
from engine.images.looking import ImageEncoder, QualityMeasure
from engine.nearest import nearest

if TYPE_CHECKING:
    from actors.lpips import Lpips

CONSE = "conse-efficientnet-minilm"
SENTENCES = "minilm-l6-v2"
"""The text side of ConSE."""

ENCODERS = (DINOV2_SALIENCY, CONSE)
"""Names of image encoders with weights in a package; any other name is the path of a CLIP or DINOv2 folder."""

PERCEPTUAL: Mapping[str, tuple[str, int]] = MappingProxyType({LPIPS_ALEX: ("alex", 8), LPIPS_VGG: ("vgg", 2)})
"""Names of perceptual distances: the backbone, and the images of one pass."""

QUALITY = (BRISQUE,)
"""Names of quality measures; a path ending in .safetensors is an aesthetic head."""

HEAD = ".safetensors"


def encoder_id(name: str, placement: Placement | None = None) -> str:
    """The id of the image encoder called `name` (model, revision, preprocessing, precision), without loading it. Raises ModelError."""
    place = placement or Placement()
    if name == CONSE:
        from actors.conse import conse_id

        return conse_id(*_conse_files(), place)
    files = _files(name)
    if _family(files) == "clip":
        from actors.clip import clip_id

        return clip_id(files, place)
    from actors.dinov2 import dinov2_id

    return dinov2_id(files, place)


def make_encoder(name: str, placement: Placement | None = None) -> ImageEncoder:
    """The image encoder called `name`, loaded; one that reads text too has `embed_texts`. Raises ModelError."""
    if name == CONSE:
        from actors.conse import Conse

        return Conse(*_conse_files(), placement)
    files = _files(name)
    if _family(files) == "clip":
        from actors.clip import ClipEncoder

        return ClipEncoder(files, placement)
    from actors.dinov2 import Dinov2Encoder

    return Dinov2Encoder(files, placement)


def reads_texts(name: str) -> bool:
    """Whether the encoder called `name` puts texts into the space of its images. Raises ModelError."""
    return name == CONSE or _family(_files(name)) == "clip"


def perceptual_id(name: str, placement: Placement | None = None) -> str:
    """The id of the perceptual distance called `name`. Raises ModelError."""
    from actors.lpips import lpips_id

    _known(name, PERCEPTUAL)
    return lpips_id(package_files(name), placement or Placement())


def make_perceptual(name: str, placement: Placement | None = None) -> Lpips:
    """The perceptual distance called `name`, loaded. Raises ModelError."""
    from actors.lpips import Lpips

    _known(name, PERCEPTUAL)
    net, at_once = PERCEPTUAL[name]
    return Lpips(package_files(name), net, placement, at_once=at_once)


def quality_id(name: str, encoders: Sequence[str] = (), placement: Placement | None = None) -> str:
    """The id of the quality measure called `name`; an aesthetic head reads the vectors of the one CLIP among `encoders` (names)."""
    if name.endswith(HEAD):
        from actors.aesthetic import aesthetic_id

        return aesthetic_id(Path(name), encoder_id(_clip_of(encoders), placement))
    from actors.brisque import brisque_id

    _known(name, QUALITY)
    return brisque_id(package_files(name))


def make_quality(name: str, encoders: Sequence[str] = (), placement: Placement | None = None) -> QualityMeasure:
    """The quality measure called `name`, loaded, as `quality_id` names it. Raises ModelError."""
    if name.endswith(HEAD):
        from actors.aesthetic import AestheticHead

        return AestheticHead(Path(name), encoder_id(_clip_of(encoders), placement))
    from actors.brisque import Brisque

    _known(name, QUALITY)
    return Brisque(package_files(name))


def _conse_files() -> tuple[ModelFiles, ModelFiles, ModelFiles]:
    return package_files(EFFICIENTNET), package_files(CLASS_NAMES), resolve(SENTENCES)


def _files(name: str) -> ModelFiles:
    """A registered encoder of one file, or the files of a folder."""
    if name == DINOV2_SALIENCY:
        return package_files(name)
    if not Path(name).expanduser().is_dir():
        _known(name, ENCODERS)
    return resolve(name).of_kind("checkpoint")


def _family(files: ModelFiles) -> str:
    """`clip` or `dinov2`, as the folder's config says. Raises ModelError for another architecture."""
    if files.kind == "image":
        return "dinov2"
    try:
        family = json.loads((files.folder / "config.json").read_text("utf-8")).get("model_type")
    except (OSError, ValueError, AttributeError):
        family = None
    if family not in {"clip", "dinov2"}:
        raise ModelError(
            f"{files.folder} holds no CLIP and no DINOv2, but {family!r}.",
            remedy=f"Give a folder that `save_pretrained` wrote, or one of: {', '.join(ENCODERS)}.",
            code="model-unsupported",
        )
    return str(family)


def _clip_of(encoders: Sequence[str]) -> str:
    """The one CLIP folder among the encoders of an experiment, whose vectors a head reads."""
    clips = [name for name in encoders if name not in ENCODERS and _family(_files(name)) == "clip"]
    if len(clips) != 1:
        raise ModelError(
            f"An aesthetic head reads the vectors of one CLIP; the experiment names {len(clips)}.",
            remedy="Name the CLIP that the head was trained on among the encoders, and no other.",
            code="model-unsupported",
        )
    return clips[0]


def _known(name: str, names: Sequence[str] | Mapping[str, object]) -> None:
    if name not in names:
        near = nearest(name, sorted(names))
        meant = f"Did you mean {near!r}? " if near else ""
        raise ModelError(
            f"No image model is called {name!r}.", remedy=f"{meant}Known: {', '.join(sorted(names))}; or give a path.", code="model-unknown"
        )
