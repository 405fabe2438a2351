"""Every test of the store runs on a folder, on a real S3 server and on a simulated one (AWS's order of listings and 404s)."""

import itertools

import boto3
import pytest
from moto.server import ThreadedMotoServer

from engine.store.opening import open_backend

_numbers = itertools.count()


@pytest.fixture(scope="session")
def seaweedfs_uri(s3_server):
    """The URI of a bucket on a real server."""
    return s3_server.uri()


@pytest.fixture(scope="session")
def moto_uri(s3_server):
    """The URI of a bucket on moto, which accepts any credentials. Its listings have 50 names on a page."""
    patch = pytest.MonkeyPatch()
    patch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "50")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    uri = f"s3://mien?endpoint_url=http://{host}:{port}&region=us-east-1"
    client = boto3.session.Session().client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1")
    client.create_bucket(Bucket="mien")
    client.close()
    yield uri
    server.stop()
    patch.undo()


@pytest.fixture(params=["folder", "seaweedfs", "moto"])
def backend(request, tmp_path):
    """An empty store; on S3 under a prefix of its own."""
    if request.param == "folder":
        yield open_backend(str(tmp_path / "store"))
        return
    prefix = f"t{next(_numbers)}"
    uri = request.getfixturevalue("seaweedfs_uri" if request.param == "seaweedfs" else "moto_uri")
    store = open_backend(uri.replace("s3://mien", f"s3://mien/{prefix}"))
    yield store
    store.close()
