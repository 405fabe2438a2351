"""The laptop's image models, loaded once; and `photographs`, which the benchmarks share, importable by name."""

import sys
from pathlib import Path

import pytest

from actors.vision_models import CONSE, make_encoder, make_perceptual, make_quality
from actors.vision_packages import BRISQUE, DINOV2_SALIENCY, LPIPS_ALEX

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))


@pytest.fixture(scope="session")
def conse():
    return make_encoder(CONSE)


@pytest.fixture(scope="session")
def dinov2():
    return make_encoder(DINOV2_SALIENCY)


@pytest.fixture(scope="session")
def alex():
    return make_perceptual(LPIPS_ALEX)


@pytest.fixture(scope="session")
def brisque():
    return make_quality(BRISQUE)
