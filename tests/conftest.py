"""Servers that several parts of the tests share; each ends with the session."""

import pytest

from jobs.s3_server import LocalS3


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory):
    """A real S3 server; the environment of the tests, and of processes they start, may use it."""
    with pytest.MonkeyPatch.context() as patch, LocalS3(tmp_path_factory.mktemp("s3")) as server:
        use_server(patch, server)
        yield server


@pytest.fixture
def own_s3_server(tmp_path, monkeypatch):
    """One that a test may kill."""
    with LocalS3(tmp_path / "own-s3") as server:
        use_server(monkeypatch, server)
        yield server
        server.kill()  # nobody needs its data; an orderly end takes it seconds


def use_server(patch, server):
    """Let the environment name this server's credentials, and nothing of the developer's own."""
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE"):
        patch.delenv(name, raising=False)
    for name, value in server.environment.items():
        patch.setenv(name, value)
