"""What S3 adds: refusals that say what to do at once, no credentials anywhere, one client a process."""

import json
import multiprocessing
import os
import pickle
import sys
import time
import traceback

import pytest

from engine.errors import StoreError, StoreUnusable
from engine.store import s3_client
from engine.store.opening import open_backend, probe
from engine.store.s3 import S3Backend

SECRET = "0123456789secretsecret"


@pytest.fixture
def store(s3_server):
    backend = open_backend(s3_server.uri(prefix="own"))
    yield backend
    backend.close()


def refused(uri):
    """The error of a probe, which must come at once and show no credential."""
    started = time.monotonic()
    store = open_backend(uri)
    with pytest.raises(StoreUnusable) as caught:
        probe(store)
    store.close()
    assert time.monotonic() - started < 10
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(store) + str(vars(store))
    for secret in (SECRET, os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")):
        assert not secret or secret not in shown
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_wrong_keys_are_told_at_once(s3_server, monkeypatch):
    uri = s3_server.uri()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    assert "AWS_SECRET_ACCESS_KEY" in refused(uri)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", SECRET)
    assert "must belong to this server" in refused(uri)


def test_no_keys_are_told_at_once(s3_server, monkeypatch, tmp_path):
    uri = s3_server.uri()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    assert "No credentials were found" in refused(uri)


@pytest.mark.parametrize("server", ["seaweedfs", "moto"])
def test_a_bucket_that_is_not_there_is_told_at_once(request, server):
    uri = request.getfixturevalue("s3_server").uri() if server == "seaweedfs" else request.getfixturevalue("moto_uri")
    assert "Create the bucket" in refused(uri.replace("s3://mien", "s3://nobody-made-this"))


def test_an_unknown_profile_is_a_usage_error(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody-made-this")
    with pytest.raises(Exception, match="Check AWS_PROFILE"):
        open_backend("s3://bucket")


def test_a_server_that_never_answered_is_given_up(monkeypatch, s3_server):
    store = S3Backend("s3://bucket?endpoint_url=http://127.0.0.1:9", patience_s=1)
    with pytest.raises(StoreUnusable, match="cannot be written") as caught:
        probe(store)
    assert "Is its server up" in caught.value.remedy


NOBODY = "s3://bucket?endpoint_url=http://127.0.0.1:9&region=us-east-1"


@pytest.mark.parametrize(("proven", "waited"), [(False, "0.3"), (True, "1.0")])
def test_where_nothing_listens_a_first_contact_ends_soon_and_names_the_server(monkeypatch, s3_server, proven, waited):
    monkeypatch.setattr(s3_client, "REFUSED_S", 0.3)
    store = S3Backend(NOBODY, patience_s=1, proven=proven)
    started = time.monotonic()
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        store.read("a/b")
    assert caught.value.message.endswith(" s: it cannot be reached at http://127.0.0.1:9.")
    assert float(waited) <= time.monotonic() - started < float(waited) + 5
    store.close()


@pytest.fixture
def by_process(monkeypatch, tmp_path):
    """Takes the credentials from the environment and lets a process tell them that fails so many times at first."""

    def use(failures):
        told = {"Version": 1, "AccessKeyId": os.environ["AWS_ACCESS_KEY_ID"], "SecretAccessKey": os.environ["AWS_SECRET_ACCESS_KEY"]}
        script, count = tmp_path / "tell.py", tmp_path / "count"
        script.write_text(
            f"count = open({str(count)!r}, 'ab')\n"
            "count.write(b'.')\n"
            f"if count.tell() <= {failures}:\n"
            "    raise SystemExit(1)\n"
            f"print({json.dumps(told)!r})\n"
        )
        (tmp_path / "config").write_text(f"[default]\ncredential_process = {sys.executable} {script}\n")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        return count

    return use


def test_credentials_that_cannot_be_had_for_a_while_are_waited_for(s3_server, by_process):
    uri = s3_server.uri(prefix="late")
    count = by_process(failures=3)
    store = S3Backend(uri, patience_s=30)
    assert store.create("a/b", b"1")
    assert count.stat().st_size > 3
    store.close()


def test_credentials_that_cannot_be_had_at_all_end_patience_with_a_plain_error(s3_server, by_process):
    uri = s3_server.uri(prefix="never")
    by_process(failures=10**6)
    store = S3Backend(uri, patience_s=1)
    for action in (
        lambda: store.list(""),
        lambda: store.read("a/b"),
        lambda: store.create("a/b", b""),
        lambda: list(store.read_many(["a/b"])),
    ):
        with pytest.raises(StoreError, match="CredentialRetrievalError") as caught:
            action()
        assert type(caught.value) is StoreError
    store.close()


@pytest.mark.parametrize("process", ["nobody-made-this", f"echo {SECRET}"])
def test_a_credential_process_that_is_none_is_told_at_once_without_its_words(s3_server, by_process, tmp_path, process):
    uri = s3_server.uri()
    by_process(failures=0)
    (tmp_path / "config").write_text(f"[default]\ncredential_process = {process}\n")
    assert "Check credential_process" in refused(uri)


def test_requests_are_counted_by_kind(store):
    store.create("n/a", b"1")
    store.create("n/a", b"2")
    store.read("n/a")
    store.list("n/")
    assert store.requests == {"GetObject": 2, "ListObjectsV2": 1, "PutObject": 2}


def test_only_the_uri_travels(store):
    store.create("p/a", b"1")
    data = pickle.dumps(store)
    for secret in (os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]):
        assert secret.encode() not in data
    copy = pickle.loads(data)  # noqa: S301 - our own bytes
    assert (copy.uri, copy.requests, copy.read("p/a")) == (store.uri, {}, b"1")
    copy.close()


def _read_in_child(store, pipe):
    pipe.send((store.requests, store.read("f/a"), store.requests))
    pipe.close()


def test_a_forked_process_has_a_client_of_its_own(store):
    store.create("f/a", b"1")
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_read_in_child, args=(store, theirs))
    process.start()
    assert ours.poll(30)
    assert ours.recv() == ({}, b"1", {"GetObject": 1})
    process.join()
    assert store.read("f/a") == b"1"


def test_checksums_only_where_required_work_too(s3_server):
    store = open_backend(s3_server.uri(prefix="sums") + "&checksums=when_required")
    assert "checksums=when_required" in store.uri
    probe(store)
    store.close()
