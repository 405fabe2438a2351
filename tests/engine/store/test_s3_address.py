"""The URI of an S3 store: complete, without credentials, the same on every node."""

import pytest

from engine.errors import UsageError
from engine.store.opening import open_backend
from engine.store.s3_address import S3Address


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch, tmp_path):
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


@pytest.mark.parametrize(
    "uri",
    [
        "s3://bucket",
        "s3://my-bucket.of/a/b-c_d=1",
        "s3://bucket?endpoint_url=http://127.0.0.1:8333&region=us-east-1",
        "s3://bucket/p?endpoint_url=https://host/path&region=eu-west-1&checksums=when_required&addressing=virtual",
    ],
)
def test_a_uri_reads_back(uri):
    assert S3Address.parse(uri).located().uri == uri
    assert open_backend(uri).uri == uri


def test_the_endpoint_and_region_of_the_environment_travel_in_the_uri(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://everything:1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://storage:9000")
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    located = S3Address.parse("s3://bucket/p").located()
    assert located.uri == "s3://bucket/p?endpoint_url=http://storage:9000&region=eu-north-1"
    assert located.addressing == "path"
    given = S3Address.parse("s3://bucket/p?endpoint_url=http://other:1&region=us-east-1")
    assert given.located().uri == given.uri


def test_the_endpoint_of_a_profile_travels_in_the_uri(tmp_path):
    (tmp_path / "config").write_text(
        "[default]\nregion = eu-west-3\nservices = mine\n[services mine]\ns3 =\n  endpoint_url = http://storage:9000\n"
    )
    assert S3Address.parse("s3://bucket").located().uri == "s3://bucket?endpoint_url=http://storage:9000&region=eu-west-3"


def test_amazons_own_address_is_left_to_boto3(monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    located = S3Address.parse("s3://bucket").located()
    assert (located.endpoint_url, located.addressing, located.uri) == ("", "auto", "s3://bucket?region=eu-west-1")


@pytest.mark.parametrize(
    "uri",
    [
        "s3://AKIAHIDDEN:hidden@bucket/p",
        "s3://bucket?endpoint_url=http://AKIAHIDDEN:hidden@host",
        "s3://bucket?access_key=AKIAHIDDEN",
        "s3://bucket?aws_secret_access_key=hidden",
        "s3://bucket?X-Amz-Credential=AKIAHIDDEN&X-Amz-Signature=hidden",
        "s3://bucket?session_token=hidden",
    ],
)
def test_credentials_in_a_uri_are_refused_and_not_repeated(uri):
    with pytest.raises(UsageError, match="holds credentials") as caught:
        open_backend(uri)
    assert "AWS_ACCESS_KEY_ID" in caught.value.remedy
    assert "hidden" not in str(caught.value).lower()


def test_credentials_in_the_environments_endpoint_are_refused(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://AKIAHIDDEN:hidden@host")
    with pytest.raises(UsageError, match="holds credentials") as caught:
        open_backend("s3://bucket")
    assert "hidden" not in str(caught.value).lower()


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("s3://bucket?endpoint=http://x", "did you mean 'endpoint_url'"),
        ("s3://bucket?checksums=when_require", "did you mean 'when_required'"),
        ("s3://bucket?addressing=paths", "did you mean 'path'"),
        ("s3://bucket?region=a b", "region"),
        ("s3://bucket?region=eu-west-1&region=eu-west-2", "twice"),
        ("s3://bucket?endpoint_url=localhost:8333", "no http"),
        ("s3://bucket?endpoint_url=http://host:port", "cannot be read"),
        ("s3://bucket?endpoint_url=", "no http"),
        ("s3://Bucket", "cannot be an S3 bucket"),
        ("s3://b", "cannot be an S3 bucket"),
        ("s3://a..b", "cannot be an S3 bucket"),
        ("s3://", "cannot be an S3 bucket"),
        ("s3:///prefix", "cannot be an S3 bucket"),
        ("s3://bucket:80/p", "no bucket with a prefix"),
        ("s3://bucket/p#x", "no bucket with a prefix"),
        ("s3://bucket/../x", "unsafe"),
        ("s3://bucket/a//b", "unsafe"),
        ("s3://bucket/a b", "unsafe"),
        ("s3://bucket/" + "a" * 600, "longer"),
        ("s3://[bucket/a", "cannot be read"),
    ],
)
def test_a_uri_that_is_wrong_is_a_usage_error(uri, says):
    with pytest.raises(UsageError, match=says):
        open_backend(uri)


def test_another_cloud_names_the_remedy():
    with pytest.raises(UsageError, match="unknown scheme 'gs'") as caught:
        open_backend("gs://user:hidden@bucket")
    assert "s3://bucket/prefix" in caught.value.remedy
    assert "hidden" not in str(caught.value)
