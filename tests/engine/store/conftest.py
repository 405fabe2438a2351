"""Every test of the store runs on every backend that is listed here."""

import pytest

from engine.store.folder import FolderBackend


@pytest.fixture(params=["folder"])
def backend(request, tmp_path):
    return FolderBackend(tmp_path / "store")
