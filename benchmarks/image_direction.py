"""Which way the laptop's image metrics point: how often the right image or text beats a wrong one, on photographs and on drawings.

    PYTHONPATH=. python benchmarks/image_direction.py [--scenes 60] [--size 32]

Photographs are those of scikit-image, captions ours; drawings are held-out scenes of `engine.scenes` with their own captions.

  text        an image and its own caption against the captions of all other images (on drawings: of scenes with another object)
  likeness    an image and itself cropped, dimmed and compressed, against all others treated so (on drawings: another drawing of the
              scene against drawings of scenes that share neither object nor background)
  quality     an image against itself blurred, compressed and with noise

Each is a paired AUC: the share of (right, wrong) pairs in which right is better, ties half; clusters are images. The last line is one
JSON object. A metric whose interval does not lie above .5 has no signal there, and no verdict may rest on it.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from photographs import CAPTIONS, photographs
from PIL import Image, ImageEnhance, ImageFilter

from actors.lpips import Lpips
from actors.vision_models import CONSE, make_encoder, make_perceptual, make_quality
from actors.vision_packages import BRISQUE, DINOV2_SALIENCY, LPIPS_ALEX
from engine.images.looking import ImageEncoder, ImageTextEncoder, QualityMeasure
from engine.images.picture import Picture
from engine.images.preprocessing import square
from engine.keys import sha256
from engine.scenes.captions import caption
from engine.scenes.drawing import SIZE_PX, draw_scene
from engine.scenes.splitting import draw_scenes
from engine.statistics.cluster_bootstrap import ClusterBootstrap

Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Direction:
    """A paired AUC with its 95 % interval; `images` are the clusters."""

    metric: str
    pictures: str
    auc: float
    low: float
    high: float
    images: int

    @property
    def verdict(self) -> str:
        """What may rest on the metric there: nothing, where the interval includes .5 or lies below it."""
        if self.low > 0.5:
            return "signal"
        return "no signal here" if self.high >= 0.5 else "points the wrong way here"


@dataclass(frozen=True, slots=True)
class Material:
    """`again[i]` shows what `images[i]` shows and `captions[i]` says; `wrong_text` and `wrong_image` (n, n): which others do not."""

    pictures: str
    images: list[Image.Image]
    again: list[Image.Image]
    captions: list[str]
    wrong_text: Mask
    wrong_image: Mask


def directed(metric: str, pictures: str, right: Scores, wrong: Scores, pairs: Mask) -> Direction:
    """Of `right` (n,) against `wrong` (n, m) where `pairs` (n, m); higher is better."""
    share = (right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)
    rows, _ = np.nonzero(pairs)
    bootstrap = ClusterBootstrap(len(right), seed=0)
    totals = bootstrap.totals(bootstrap.per_cluster(rows, np.stack([share[pairs], np.ones(len(rows))], axis=1)))
    # Percentiles: a studentised interval needs spread within each resample, which a metric that is hardly ever wrong does not have.
    low, high = np.percentile(totals[:, 0] / totals[:, 1], [2.5, 97.5])
    return Direction(metric, pictures, float(share[pairs].mean()), float(low), float(high), len(right))


def of_text(model: ImageTextEncoder, name: str, material: Material) -> Direction:
    """Whether an image is nearest to its own caption."""
    cosines = (model.embed(pictures(material.images)) @ model.embed_texts(material.captions).T).astype(np.float64)
    return directed(f"{name} text", material.pictures, np.diag(cosines), cosines, material.wrong_text)


def of_likeness(model: ImageEncoder, name: str, material: Material) -> Direction:
    """Whether an image is nearest to what shows the same."""
    cosines = (model.embed(pictures(material.images)) @ model.embed(pictures(material.again)).T).astype(np.float64)
    return directed(f"{name} likeness", material.pictures, np.diag(cosines), cosines, material.wrong_image)


def of_distance(model: Lpips, name: str, material: Material) -> Direction:
    """The same for a distance."""
    images, again = (model.features([square(each) for each in pictures(some)]) for some in (material.images, material.again))
    near = np.array([[-model.distance(one, other) for other in again] for one in images])
    return directed(f"{name} likeness", material.pictures, np.diag(near), near, material.wrong_image)


def of_quality(measure: QualityMeasure, name: str, material: Material) -> Direction:
    """Whether an image is better than itself damaged."""
    sign = 1 if measure.higher_is_better else -1
    right = sign * measure.measure(pictures(material.images), {})
    wrong = np.stack([sign * measure.measure(pictures([damage(image) for image in material.images]), {}) for damage in DAMAGES], axis=1)
    return directed(f"{name} quality", material.pictures, right, wrong, np.ones(wrong.shape, np.bool_))


def pictures(images: Sequence[Image.Image]) -> list[Picture]:
    """Images as the models take them."""
    return [Picture(np.asarray(image), sha256(image.tobytes())) for image in images]


def compressed(image: Image.Image, quality: int) -> Image.Image:
    """The image after a JPEG of that quality."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("RGB")


def blurred(image: Image.Image) -> Image.Image:
    """The image out of focus."""
    return image.filter(ImageFilter.GaussianBlur(max(image.size) / 200))


def noisy(image: Image.Image) -> Image.Image:
    """The image with the noise of a bad sensor."""
    noise = np.random.default_rng(0).normal(0, 20, (image.height, image.width, 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


DAMAGES: tuple[Callable[[Image.Image], Image.Image], ...] = (blurred, noisy, lambda image: compressed(image, 10))


def treated(image: Image.Image) -> Image.Image:
    """The upper left 85 % of an image, dimmed and compressed."""
    part = image.crop((0, 0, int(image.width * 0.85), int(image.height * 0.85)))
    return compressed(ImageEnhance.Brightness(part).enhance(0.8), 40)


def photographed() -> Material:
    """The photographs of scikit-image that show something."""
    images = [Image.open(photographs() / name).convert("RGB") for name in CAPTIONS]
    others = ~np.eye(len(images), dtype=np.bool_)
    return Material("photographs", images, [treated(image) for image in images], list(CAPTIONS.values()), others, others)


def drawn(count: int, size: int) -> Material:
    """Held-out scenes, each drawn twice."""
    rng = np.random.default_rng(0)
    scenes = draw_scenes(count, rng, held_out=True)
    images, again = ([Image.fromarray(draw_scene(scene, rng, size)) for scene in scenes] for _ in range(2))
    captions = [caption(scene, rng, whole=True).text for scene in scenes]
    objects = np.array([[one.object != other.object for other in scenes] for one in scenes])
    places = np.array([[one.background != other.background for other in scenes] for one in scenes])
    return Material("drawings", images, again, captions, objects, objects & places)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=60, help="drawings")
    parser.add_argument("--size", type=int, default=SIZE_PX, help="width and height of a drawing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    conse, dinov2 = make_encoder(CONSE), make_encoder(DINOV2_SALIENCY)
    alex, brisque = make_perceptual(LPIPS_ALEX), make_quality(BRISQUE)
    found: list[Direction] = []
    for material in (photographed(), drawn(arguments.scenes, arguments.size)):
        found += [
            of_text(conse, CONSE, material),  # type: ignore[arg-type]
            of_likeness(conse, CONSE, material),
            of_likeness(dinov2, DINOV2_SALIENCY, material),
            of_distance(alex, LPIPS_ALEX, material),
            of_quality(brisque, BRISQUE, material),
        ]
    for each in found:
        interval = f"[{each.low:.3f}, {each.high:.3f}]"
        print(f"{each.metric:38} {each.pictures:12} {each.auc:.3f} {interval} of {each.images} images  {each.verdict}")
    rounded = [asdict(each) | {"verdict": each.verdict} for each in found]
    print(json.dumps({"size": arguments.size, "directions": rounded}))


if __name__ == "__main__":
    main()
