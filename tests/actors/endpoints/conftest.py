"""A stand-in provider, its key in the environment, and nothing of the developer's own."""

import pytest

from engine.writer_config import Endpoint, LanguageModel
from tests.faults.model_server import KEY, MODEL, ModelServer


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.fixture
def server():
    with ModelServer() as server:
        yield server


@pytest.fixture
def writer():
    """A writer's configuration; fields of the endpoint by `endpoint`."""

    def made(url, *, endpoint=None, **fields):
        reached = Endpoint(**{"base_url": url, "give_up_s": 20} | (endpoint or {}))
        return LanguageModel(**{"name": "served", "engine": "openai", "model": MODEL, "endpoint": reached} | fields)

    return made
