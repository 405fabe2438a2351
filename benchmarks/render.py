"""What the renderer's actor costs against the bare pipeline: seeds, outcomes, PNG, thumbnail and the store's commit of every image.

    python benchmarks/render.py [--model tiny-scenes] [--images 48] [--batch 8] [--rounds 5] [--steps 20] [--size 48] [--dtype auto]

`--model`: a built-in renderer, or the folder of any diffusers pipeline that draws from text. Both ways have the same weights and precision,
and draw batches of the same size in this process, on the GPU if there is one, else on one thread. In each round bare, actor, bare; no image
is drawn twice. The store is a new folder beneath `--store` (a temporary one). The last line is one JSON object:

    render_ratio    images/s of the actor, from the call to the last commit, divided by those of the pipeline alone, whose PIL images
                    are let go; medians
    peak_share      with --peak-tflops, what the device can do in this precision: the bare pipeline's share of it, as torch counts
                    floating-point operations
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from actors.diffusers_loading import LoadSettings, load, quiet
from actors.image_models import image_model_id, make_image_model, model_files, settled
from actors.renderer import Renderer as RendererActor
from engine.image_config import BUILT_IN, TINY_SCENES, Renderer
from engine.images.rendering import DrawRequest, RenderRequest
from engine.images.stored import ImageObjects
from engine.outcome import Answered
from engine.store.opening import open_backend

STAGE = "benchmark-0123456789abcdef"
WORDS = (
    "a cobalt lantern on the beach at night",
    "a red boat under a grey sky",
    "an old clock in a green room",
    "two cups on a wooden table",
)

Way = Callable[[list[RenderRequest]], None]


def main() -> None:
    """Measure here."""
    options = parsed()
    renderer = configured(options)
    import torch

    cuda = torch.cuda.is_available()
    numbers = count()

    def fresh(images: int) -> list[RenderRequest]:
        return [request(renderer, next(numbers)) for _ in range(images)]

    with tempfile.TemporaryDirectory(dir=options.store) as folder:
        actor = RendererActor(make_image_model(renderer), ImageObjects(open_backend(folder)))
        bare = bare_pipeline(renderer, "cuda" if cuda else "cpu")
        ways: dict[str, Way] = {"bare": bare, "actor": lambda asked: committed(actor, asked)}
        for way in ways.values():
            way(fresh(renderer.batch))
        paces: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name in ("bare", "actor", "bare"):
                paces[name].append(pace(ways[name], fresh(options.images)))
    found = {name: statistics.median(each) for name, each in paces.items()}
    print(f"{image_model_id(renderer)}: actor {found['actor']:.2f} images/s, bare {found['bare']:.2f}")
    figures: dict[str, Any] = {"render_ratio": round(found["actor"] / found["bare"], 3)}
    figures |= {f"{name}_images_s": round(each, 2) for name, each in found.items()}
    if options.peak_tflops:
        done = flops(bare, fresh(renderer.batch)) / renderer.batch * found["bare"]
        figures["peak_share"] = round(done / (options.peak_tflops * 1e12), 4)
    device = torch.cuda.get_device_name() if cuda else "cpu"
    told = {name: getattr(renderer, name) for name in ("batch", "steps", "width", "height", "dtype")}
    print(json.dumps(figures | told | {"device": device, "images": options.images, "rounds": options.rounds}))


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=TINY_SCENES)
    parser.add_argument("--images", type=int, default=48, help="in each pass")
    parser.add_argument("--rounds", type=int, default=5)
    for name in ("batch", "steps", "size"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--dtype", choices=["auto", "float32", "bfloat16", "float16"])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--store", type=Path, help="folder below which the store is made")
    parser.add_argument("--peak-tflops", type=float, default=0.0)
    return parser.parse_args()


def configured(options: argparse.Namespace) -> Renderer:
    """The renderer that the command line asks for."""
    base = BUILT_IN[options.model] if options.model in BUILT_IN else Renderer(name="measured", model=options.model)
    changes = {"batch": options.batch, "steps": options.steps, "width": options.size, "height": options.size, "dtype": options.dtype}
    given = {name: value for name, value in changes.items() if value is not None}
    return settled(Renderer.model_validate({**base.model_dump(), **given, "compile": options.compile}))


def request(renderer: Renderer, number: int) -> RenderRequest:
    """An image like no other."""
    return RenderRequest(f"image {number}", f"{WORDS[number % len(WORDS)]}, number {number}", renderer.settings(), seed=number)


def bare_pipeline(renderer: Renderer, device: str) -> Way:
    """The pipeline as its own library calls it."""
    import torch

    files = model_files(renderer)
    pipeline = load(files, LoadSettings(dtype=renderer.dtype, device=device, compile=renderer.compile)).draws
    assert pipeline is not None, "this benchmark draws from text"

    def way(asked: list[RenderRequest]) -> None:
        for start in range(0, len(asked), renderer.batch):
            batch = asked[start : start + renderer.batch]
            with quiet():
                pipeline(
                    prompt=[each.prompt for each in batch],
                    num_inference_steps=renderer.steps,
                    guidance_scale=renderer.guidance,
                    width=renderer.width,
                    height=renderer.height,
                    generator=[torch.Generator().manual_seed(each.seed) for each in batch],
                )

    return way


def committed(actor: RendererActor, asked: list[RenderRequest]) -> None:
    """All of them in the store."""
    outcomes = actor.render([DrawRequest(STAGE, each) for each in asked])
    assert all(isinstance(outcome, Answered) for outcome in outcomes), "every image of this benchmark can be drawn"


def pace(way: Way, asked: list[RenderRequest]) -> float:
    """Images/s."""
    began = time.perf_counter()
    way(asked)
    return len(asked) / (time.perf_counter() - began)


def flops(way: Way, asked: list[RenderRequest]) -> float:
    """Floating-point operations of one pass."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        way(asked)
    return float(counter.get_total_flops())


if __name__ == "__main__":
    main()
