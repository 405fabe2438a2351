"""Tests with vLLM, which has an environment of its own: see `make test-vllm`. Elsewhere they are not collected, and nothing is imported."""

import gc
import importlib.util
import os
from pathlib import Path

import pytest

FOLDER = os.environ.get("MIEN_VLLM_MODEL", "")

if not FOLDER or importlib.util.find_spec("vllm") is None:
    collect_ignore_glob = ["test_*.py"]


def pytest_collection_modifyitems(items):
    """vLLM and torch warn of their own affairs; what mien warns of remains an error."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for module in ("vllm", "torch", "xgrammar", "transformers", "multiprocessing"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::Warning:{module}"))


@pytest.fixture(scope="session")
def model_folder():
    """SmolLM2 as a Hugging Face folder."""
    return Path(FOLDER)


@pytest.fixture(scope="module", autouse=True)
def collected():
    """Closed engines are gone before pytest ends, which takes what happens then for errors of its own."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def only_settings_of_mien(monkeypatch):
    """`mien` takes MIEN_ variables for settings of its own."""
    for name in [name for name in os.environ if name.startswith("MIEN_VLLM_")]:
        monkeypatch.delenv(name)
