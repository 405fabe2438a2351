"""Trains `tiny-scenes`, the project's own small text-to-image model, and measures whether it follows its prompts.

python -m jobs.tiny_scenes train --out DIR --minutes 32     # goes on from DIR's last checkpoint; needs no network and no images
python -m jobs.tiny_scenes export DIR                       # the last checkpoint, into the package
python -m jobs.tiny_scenes check                            # the stored weights: one JSON line a measurement
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

Folder = Annotated[Path | None, typer.Argument(help="Folder of weights; the package's own by default.")]


@app.command()
def train(
    out: Annotated[Path, typer.Option("--out", help="Folder for everything that the training keeps.")],
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="Of processor time for the denoiser; what comes before takes ten.")
    ] = 32.0,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1)] = 1,
) -> None:
    """Reader, checker and denoiser, each kept in the folder as soon as it is there."""
    import torch

    from actors.tiny_scenes.learning import learn

    torch.set_num_threads(threads)
    began = time.monotonic()
    learn(out, minutes=minutes, seed=seed, tell=lambda line: print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True))


@app.command()
def export(
    out: Annotated[Path, typer.Argument(help="Folder of a training.")],
    to: Annotated[Path | None, typer.Option("--to", help="Folder for the weights; the package's own by default.")] = None,
) -> None:
    """The averaged weights of the last checkpoint as a diffusers pipeline in half precision, and the checker beside them."""
    from actors.tiny_scenes.exporting import export as write
    from actors.tiny_scenes.pipeline import WEIGHTS_FOLDER

    write(out, to or WEIGHTS_FOLDER)


@app.command()
def check(
    folder: Folder = None,
    captions: Annotated[int, typer.Option("--captions", min=1, help="Of held-out combinations.")] = 500,
    people: Annotated[int, typer.Option("--people", min=1, help="Whose assembled prompts are drawn, two each.")] = 100,
    steps: Annotated[int, typer.Option("--steps", min=1)] = 20,
    guidance: Annotated[float, typer.Option("--guidance", min=1)] = 2.0,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 7,
) -> None:
    """How often the checker is right on held-out drawings, images on held-out captions, and images on assembled prompts."""
    import numpy as np

    from actors.tiny_scenes.checker import load_checker, shares_right
    from actors.tiny_scenes.drawn import drawings
    from actors.tiny_scenes.following import follow_captions, follow_prompts
    from actors.tiny_scenes.pipeline import WEIGHTS_FOLDER, TinyScenesPipeline
    from actors.tiny_scenes.prompts import assembled_prompts

    weights = folder or WEIGHTS_FOLDER
    checker, pipe = load_checker(weights), TinyScenesPipeline.from_pretrained(weights)
    held_out = drawings(captions, np.random.default_rng([seed, 3]), held_out=True)
    print(json.dumps({"checker": shares_right(checker, held_out)}), flush=True)
    followed, _, _ = follow_captions(pipe, checker, captions, seed=seed, steps=steps, guidance=guidance)
    print(json.dumps({"captions": asdict(followed)}), flush=True)
    asked = assembled_prompts(people, seed)
    print(json.dumps({"prompts": follow_prompts(pipe, checker, asked, steps=steps, guidance=guidance)}), flush=True)


if __name__ == "__main__":
    app()
