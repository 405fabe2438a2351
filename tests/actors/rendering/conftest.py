"""Checkpoints that are made once for the tests of this folder."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def quietly(build):
    """What `build` returns; importing diffusers calls what torch and transformers have deprecated."""
    from actors.diffusers_loading import quiet

    with quiet():
        import random_sd

        return build(random_sd)


@pytest.fixture(scope="session")
def random_sd(tmp_path_factory):
    """A Stable Diffusion folder without a filter."""
    return quietly(lambda made: made.build(tmp_path_factory.mktemp("plain")))


@pytest.fixture(scope="session")
def filtering_sd(tmp_path_factory):
    """The same with a safety filter that takes every image away."""
    return quietly(lambda made: made.build(tmp_path_factory.mktemp("filtering"), filters=True))


@pytest.fixture(scope="session")
def ancestral_sd(tmp_path_factory):
    """The same with a scheduler that draws noise in every step."""
    return quietly(lambda made: made.build(tmp_path_factory.mktemp("ancestral"), ancestral=True))


@pytest.fixture(scope="session")
def editing_sd(tmp_path_factory):
    """An InstructPix2Pix folder."""
    return quietly(lambda made: made.build(tmp_path_factory.mktemp("editing"), edits=True))


@pytest.fixture(scope="session")
def style(tmp_path_factory):
    """A LoRA for `random_sd`."""
    return quietly(lambda made: made.lora(tmp_path_factory.mktemp("lora") / "style.safetensors"))
