"""How much of the bare networks' and the bare decoder's speed the vision actor keeps, what one decode saves, and whether memory grows.

    PYTHONPATH=. python benchmarks/vision.py [--images 32] [--growth 3000] [--device cuda --precision bfloat16]

The bare forward is the networks alone on ready tensors; the bare decode is Pillow alone, from a file's bytes to the squares that the
networks see. `vision_ratio` = images/s of the actor x (seconds of a bare forward + seconds of a bare decode): 1 is a loop that does
nothing else, more is what decoding beside the networks gains; `cpu_ratio` is the same in seconds of the CPU. `decode_once_saving`: share
of the time that is saved against one actor for each model. `growth_mb`: resident memory at the last image less that at image 500.

Images are photographs at `--size`, each with bytes of its own. The laptop's models are used where they are installed; otherwise, and on
a GPU, CLIP ViT-B/32 and DINOv2 ViT-S/14 with random weights (`random-...`), which take as long as trained ones. Needs torch,
transformers and scikit-image's photographs (or draws noise); the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from photographs import photographs
from PIL import Image

from actors.clip import ClipEncoder
from actors.conse import LITE, Conse
from actors.dinov2 import Dinov2Encoder
from actors.lpips import Lpips
from actors.placement import Placement
from actors.vision import Vision
from actors.vision_models import CONSE, make_encoder, make_perceptual
from actors.vision_packages import DINOV2_SALIENCY, LPIPS_ALEX
from engine.errors import ModelError
from engine.images.decoding import decode
from engine.images.looking import ImageEncoder, LookRequest
from engine.images.preprocessing import IMAGENET, OPENAI, ChannelStatistics, cropped, square, standardised
from engine.outcome import Answered

REFERENCE = "reference"
GROWTH_FROM = 500


class Bytes:
    """Image files in memory, any number of them: a few photographs, each name's bytes its own by what follows the image's end."""

    def __init__(self, size: int, format: str) -> None:
        self._files = []
        for pixels in _sources():
            file = io.BytesIO()
            Image.fromarray(pixels).convert("RGB").resize((size, size), Image.Resampling.BICUBIC).save(file, format)
            self._files.append(file.getvalue())

    def __call__(self, name: str) -> bytes:
        return self._files[hash_of(name) % len(self._files)] + name.encode()


def _sources() -> list[np.ndarray]:
    try:
        names = ("astronaut.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "rocket.jpg")
        return [np.asarray(Image.open(photographs() / name)) for name in names]
    except LookupError:
        return [np.random.default_rng(0).integers(0, 256, (512, 512, 3), np.uint8)]


def hash_of(name: str) -> int:
    """A number of a name that is the same in every process."""
    return sum(name.encode())


def models(arguments: argparse.Namespace, place: Placement) -> tuple[list[ImageEncoder], list[Lpips]]:
    """The laptop's models, or random ones where those are not installed or a GPU is asked for."""
    if place.device == "cpu":
        try:
            return [make_encoder(DINOV2_SALIENCY, place), make_encoder(CONSE, place)], [make_perceptual(LPIPS_ALEX, place)]
        except ModelError as error:
            print(f"random weights: {error}")
    return _random(place), []


def _random(place: Placement) -> list[ImageEncoder]:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.processors import TemplateProcessing
    from transformers import CLIPConfig, CLIPModel, Dinov2Config, Dinov2Model

    with tempfile.TemporaryDirectory() as folder:
        clip, dinov2 = Path(folder) / "random-clip-vit-b-32", Path(folder) / "random-dinov2-vit-s-14"
        CLIPModel(CLIPConfig()).save_pretrained(clip)
        tokenizer = Tokenizer(WordLevel({"?": 0, "<e>": 2}, unk_token="?"))
        tokenizer.post_processor = TemplateProcessing(single="$A <e>", special_tokens=[("<e>", 2)])
        tokenizer.save(str(clip / "tokenizer.json"))
        Dinov2Model(Dinov2Config(hidden_size=384, num_attention_heads=6, image_size=518, patch_size=14)).save_pretrained(dinov2)
        return [make_encoder(str(clip), place), make_encoder(str(dinov2), place)]


def bare_forward(encoder: ImageEncoder | Lpips, data: Sequence[bytes], place: Placement, batch: int) -> Callable[[], None]:
    """The network of a model on ready tensors of the images, batch by batch, to call and time."""
    found = [decode(each) for each in data]
    pictures = [each.value for each in found if isinstance(each, Answered)]
    if isinstance(encoder, Lpips):
        squares = [square(each) for each in pictures]
        return lambda: [encoder.features(squares[start : start + batch]) for start in range(0, len(squares), batch)] and None
    statistics_, network = _network(encoder)
    pixels = standardised([cropped(each) for each in pictures], statistics_)
    tensors = [place.tensor(pixels[start : start + batch]) for start in range(0, len(pixels), batch)]

    def run() -> None:
        with torch.inference_mode():
            for tensor in tensors:
                network(tensor)
        if place.device != "cpu":
            torch.cuda.synchronize()

    return run


def _network(encoder: ImageEncoder) -> tuple[ChannelStatistics, Callable[[torch.Tensor], object]]:
    if isinstance(encoder, Dinov2Encoder):
        dinov2 = encoder._model
        return IMAGENET, lambda tensor: dinov2(pixel_values=tensor)
    if isinstance(encoder, ClipEncoder):
        clip = encoder._model
        return OPENAI, lambda tensor: clip.get_image_features(pixel_values=tensor)
    assert isinstance(encoder, Conse)
    return LITE, encoder._network.logits


def bare_decode(data: Sequence[bytes], squares: bool) -> None:
    """Pillow alone: the pixels, their crop of 224 and, for LPIPS, their square of 256."""
    for each in data:
        image = Image.open(io.BytesIO(each)).convert("RGB")
        short = min(image.size)
        scaled = image.resize((224 * image.width // short, 224 * image.height // short), Image.Resampling.BICUBIC)
        left, top = (scaled.width - 224) // 2, (scaled.height - 224) // 2
        np.asarray(scaled.crop((left, top, left + 224, top + 224)))
        if squares:
            np.asarray(image.resize((256, 256), Image.Resampling.BICUBIC))


def timed(call: Callable[[], object]) -> np.ndarray:
    """Seconds of a call, and seconds of all threads on the CPU, which a busy machine changes less."""
    began = np.array([time.perf_counter(), time.process_time()])
    call()
    return np.array([time.perf_counter(), time.process_time()]) - began


def resident_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def requests(count: int, tag: str, compared: bool) -> list[LookRequest]:
    """Looks at images that no earlier call has seen."""
    return [LookRequest(f"{tag}-{i:06}", (), (REFERENCE,) if compared else ()) for i in range(count)]


def looked(vision: Vision, asked: Sequence[LookRequest]) -> None:
    """Looks, and fails if any image did."""
    bad = [outcome for outcome in vision.look(asked) if not isinstance(outcome, Answered)]
    if bad:
        raise SystemExit(f"{len(bad)} images failed: {bad[0]}")


def matmul_flops(place: Placement) -> float:
    """Multiply-adds a second, times two, of a large product in this precision: the peak that can be had."""
    size = 8192 if place.device != "cpu" else 1024
    a = torch.randn(size, size, device=place.device).to(place.dtype)

    def run() -> None:
        for _ in range(4):
            a @ a
        if place.device != "cpu":
            torch.cuda.synchronize()

    run()
    return float(4 * 2 * size**3 / timed(run)[0])


def growth(vision: Vision, count: int, batch: int, compared: bool) -> float:
    """Megabytes between image 500 and the last; every fiftieth image is compared with a reference of its own."""
    at_500 = 0.0
    for start in range(0, count, batch):
        asked = requests(min(batch, count - start), f"growth{start}", False)
        if compared and start % 48 == 0:
            asked[0] = LookRequest(asked[0].image, (), (f"reference{start}",))
        looked(vision, asked)
        if start <= GROWTH_FROM:
            at_500 = resident_mb()
    return resident_mb() - at_500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=32, help="in one timed pass")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--size", type=int, default=512, help="width and height of an image")
    parser.add_argument("--format", choices=("JPEG", "PNG"), default="PNG")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--decoders", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--precision", default="float32", choices=("float32", "float16", "bfloat16"))
    parser.add_argument("--growth", type=int, default=3000, help="images of the memory test; 0 leaves it out")
    arguments = parser.parse_args()
    place = Placement(arguments.device, arguments.precision, arguments.threads)
    encoders, perceptual = models(arguments, place)
    read, compared, count = Bytes(arguments.size, arguments.format), bool(perceptual), arguments.images
    every = [*encoders, *perceptual]
    options = {"batch": arguments.batch, "decoders": arguments.decoders}
    vision = Vision(encoders, perceptual, [], read, **options)
    apart = [Vision([each], [], [], read, **options) for each in encoders] + [
        Vision([], [each], [], read, **options) for each in perceptual
    ]
    data = [read(f"bare-{i}") for i in range(count)]
    forwards = [bare_forward(each, data, place, arguments.batch) for each in every]
    for warm in (vision, *apart):
        looked(warm, requests(arguments.batch, "warm", compared))
    for run in forwards:
        run()
    taken: dict[str, list[np.ndarray]] = {"forward": [], "decode": [], "stage": [], "apart": []}
    for turn in range(arguments.passes):
        taken["decode"].append(timed(lambda: bare_decode(data, compared)) / count)
        taken["forward"].append(sum(map(timed, forwards)) / count)
        taken["stage"].append(timed(lambda turn=turn: looked(vision, requests(count, f"stage{turn}", compared))) / count)
        taken["apart"].append(
            sum(timed(lambda v=v, turn=turn: looked(v, requests(count, f"apart{turn}", compared))) for v in apart) / count
        )
        print("  ".join(f"{name} {values[-1][0] * 1000:.1f} ms" for name, values in taken.items()), flush=True)
    middle = {name: statistics.median(float(wall) for wall, _ in values) for name, values in taken.items()}
    ratios = [(f + d) / s for f, d, s in zip(taken["forward"], taken["decode"], taken["stage"], strict=True)]
    report: dict[str, object] = {
        "models": [each.id for each in every],
        "device": torch.cuda.get_device_name() if place.device != "cpu" else "cpu",
        "images_per_s": round(1 / middle["stage"], 2),
        "bare_forward_ms": round(middle["forward"] * 1000, 2),
        "bare_decode_ms": round(middle["decode"] * 1000, 2),
        "vision_ratio": round(statistics.median(float(wall) for wall, _ in ratios), 3),
        "cpu_ratio": round(statistics.median(float(cpu) for _, cpu in ratios), 3),
        "decode_once_saving": round(1 - middle["stage"] / middle["apart"], 3),
    }
    if place.device != "cpu":
        # Two for each weight and token; attention's own products are left out, so the share is a lower bound.
        flops = sum(_flops(each) for each in encoders)
        report["share_of_peak"] = round(flops / middle["stage"] / matmul_flops(place), 4)
        report["forward_share_of_peak"] = round(flops / middle["forward"] / matmul_flops(place), 4)
    if arguments.growth:
        # What may be kept of references is bounded, and full before image 500: the rest of what grows is a leak.
        light = Vision(encoders[-1:], perceptual, [], read, **options, feature_bytes=16 << 20)
        report |= {"growth_mb": round(growth(light, arguments.growth, arguments.batch, compared), 1), "growth_images": arguments.growth}
    print(json.dumps(report))


def _flops(encoder: ImageEncoder) -> float:
    """Floating-point operations for one image."""
    if isinstance(encoder, Dinov2Encoder):
        return 2.0 * 257 * sum(p.numel() for p in encoder._model.encoder.parameters())
    if isinstance(encoder, ClipEncoder):
        return 2.0 * 50 * sum(p.numel() for p in encoder._model.vision_model.encoder.parameters())
    return 0.0


if __name__ == "__main__":
    main()
