"""The stored weights, loaded once."""

import pytest
import torch

from actors.tiny_scenes.checker import load_checker
from actors.tiny_scenes.pipeline import WEIGHTS_FOLDER, TinyScenesPipeline


@pytest.fixture(scope="session")
def pipe():
    torch.set_num_threads(1)
    pipeline = TinyScenesPipeline.from_pretrained(WEIGHTS_FOLDER)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


@pytest.fixture(scope="session")
def checker():
    return load_checker(WEIGHTS_FOLDER)
