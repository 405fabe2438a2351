"""Whether `tiny-scenes` follows its prompts: what its images show, by the checker, beside what was asked for and beside chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from actors.tiny_scenes.checker import Checker
from actors.tiny_scenes.pipeline import TinyScenesPipeline
from actors.tiny_scenes.prompts import Assembled
from engine.images.picture import Pixels
from engine.keys import seed_of
from engine.scenes.captions import caption
from engine.scenes.splitting import draw_scenes
from engine.scenes.vocabulary import ATTRIBUTES, classes, named

TOGETHER = ("object", "background", "palette")
"""The attributes that a held-out combination is made of."""

BATCH = 50
VISIBLE = 16
"""Two images differ where a hundredth of their values is apart by this many levels of 256."""


@dataclass(frozen=True, slots=True)
class Following:
    """Shares of images that show what their caption names, by attribute; `all`: object, background and palette at once."""

    right: dict[str, float]
    shuffled: dict[str, float]
    """The same held against other images' captions."""
    chance: dict[str, float]


def draw_images(pipe: TinyScenesPipeline, prompts: Sequence[str], seeds: Sequence[int], *, steps: int, guidance: float) -> Pixels:
    """(n, size, size, 3) uint8."""
    pipe.set_progress_bar_config(disable=True)
    drawn = []
    for at in range(0, len(prompts), BATCH):
        generators = [torch.Generator().manual_seed(seed) for seed in seeds[at : at + BATCH]]
        given = list(prompts[at : at + BATCH])
        drawn.append(pipe(given, num_inference_steps=steps, guidance_scale=guidance, generator=generators, output_type="np").images)
    return np.asarray((np.concatenate(drawn) * 255).round(), np.uint8)


def follow_captions(
    pipe: TinyScenesPipeline, checker: Checker, count: int, *, seed: int, steps: int, guidance: float
) -> tuple[Following, Pixels, list[str]]:
    """Captions of combinations that never occurred in training, the images of them, and how far those follow."""
    rng = np.random.default_rng(seed)
    scenes = draw_scenes(count, rng, held_out=True)
    texts = [caption(scene, rng, whole=True).text for scene in scenes]
    images = draw_images(pipe, texts, [seed_of("captions", str(seed), str(i)) for i in range(count)], steps=steps, guidance=guidance)
    found, wanted = checker.classify(images), np.array([scene.labels() for scene in scenes])
    # A derangement: nobody meets their own caption.
    turned = np.roll(wanted, 1 + count // 3, axis=0)
    chance = {attribute: 1 / len(classes(attribute)) for attribute in TOGETHER}
    chance["all"] = float(np.prod(list(chance.values())))
    return Following(_shares(found, wanted), _shares(found, turned), chance), images, texts


def follow_prompts(
    pipe: TinyScenesPipeline, checker: Checker, asked: Sequence[Assembled], *, steps: int, guidance: float
) -> dict[str, float]:
    """Of assembled prompts: `named.X`, the share whose image shows a class of X that the prompt names, `chance.X`, the same with the images
    of other prompts; `methods`, the share of pairs of methods whose images of one person and seed differ; `seeds`, that of two seeds."""
    seeds = [seed_of("assembled", each.person, each.query) for each in asked]
    methods = list(asked[0].prompts)
    images = {m: draw_images(pipe, [each.prompts[m] for each in asked], seeds, steps=steps, guidance=guidance) for m in methods}
    judged = methods[-1]
    again = draw_images(pipe, [each.prompts[judged] for each in asked], [seed + 1 for seed in seeds], steps=steps, guidance=guidance)
    found = checker.classify(images[judged])
    told = [named(each.prompts[judged]) for each in asked]
    result: dict[str, float] = {}
    for place, attribute in enumerate(ATTRIBUTES):
        rows = [i for i, says in enumerate(told) if attribute in says]
        if rows:
            shown = [classes(attribute)[number] for number in found[:, place]]
            result[f"named.{attribute}"] = float(np.mean([shown[i] in told[i][attribute] for i in rows]))
            result[f"chance.{attribute}"] = float(
                np.mean([[shown[j] in told[i][attribute] for j in range(len(asked)) if j != i] for i in rows])
            )
            result[f"prompts.{attribute}"] = len(rows)
    pairs = [(a, b) for i, a in enumerate(methods) for b in methods[i + 1 :]]
    result["methods"] = float(np.mean([differ(images[a], images[b]).mean() for a, b in pairs]))
    result["seeds"] = float(differ(images[judged], again).mean())
    return result


def differ(a: Pixels, b: Pixels) -> NDArray[np.bool_]:
    """(n,) whether the images of each pair visibly differ."""
    apart = np.abs(a.astype(np.int16) - b.astype(np.int16)) >= VISIBLE
    differs: NDArray[np.bool_] = apart.reshape(len(a), -1).mean(1) >= 0.01
    return differs


def _shares(found: NDArray[np.int64], wanted: NDArray[np.int64]) -> dict[str, float]:
    right = (found == wanted)[:, [ATTRIBUTES.index(attribute) for attribute in TOGETHER]]
    return {**dict(zip(TOGETHER, map(float, right.mean(0)), strict=True)), "all": float(right.all(1).mean())}
