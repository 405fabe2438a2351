"""One driver at a time (STORAGE, rule 5)."""

import json
import os
import subprocess
import sys
import time

import pytest

from engine.errors import LeaseHeld, StoreError
from engine.store import lease as lease_module
from engine.store.folder import FolderBackend
from engine.store.lease import Lease
from engine.store.lease_owner import Owner

RUN = "0123456789abcdef"


def owner_of(backend, epoch):
    return json.loads(backend.read(f"runs/{RUN}/lease/{epoch:08d}.json"))["owner"]


def test_a_second_driver_is_refused_with_the_owners_name(backend, monkeypatch):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    said = []
    with Lease(backend, RUN), pytest.raises(LeaseHeld, match=f"process {os.getpid()}"), Lease(backend, RUN, notice=said.append, watch_s=5):
        pass
    assert "watching its beat for up to 5 s" in said[0]


def test_a_released_lease_is_taken_at_once(backend):
    with Lease(backend, RUN) as first:
        assert first.epoch == 1
        assert first.is_good()
    with Lease(backend, RUN, watch_s=60) as second:
        assert second.epoch == 2


def test_the_lease_of_a_dead_process_of_this_host_is_taken_at_once(backend):
    script = (
        "import os; from engine.store.opening import open_backend; from engine.store.lease import Lease\n"
        f"Lease(open_backend({backend.uri!r}), {RUN!r}).__enter__(); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    with Lease(backend, RUN, watch_s=60) as mine:
        assert mine.epoch == 2


def test_a_silent_stranger_is_watched_and_then_replaced(backend):
    stranger = {"owner": {"host": "elsewhere", "boot": "b", "pid": "1", "started": "1"}, "token": "t"}
    backend.create(f"runs/{RUN}/lease/00000001.json", json.dumps(stranger).encode())
    with Lease(backend, RUN, watch_s=0.3) as mine:
        assert mine.epoch == 2
        assert owner_of(backend, 2)["pid"] == str(os.getpid())


def test_a_driver_that_was_replaced_notices_and_submits_nothing(backend, monkeypatch):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    with Lease(backend, RUN) as mine:
        backend.create(f"runs/{RUN}/lease/00000002.json", b"{}")
        mine._thread.join(timeout=5)
        assert not mine.is_good()


class Failing(FolderBackend):
    """A folder that raises `error` from every beat while there is one."""

    error = None

    def replace(self, name, data):
        if self.error:
            raise self.error
        super().replace(name, data)


def until(true):
    for _ in range(500):
        if true():
            return
        time.sleep(0.01)
    pytest.fail("it did not come true in 5 s")


def test_a_beat_that_fails_is_told_and_forgotten_after_a_good_one(tmp_path, monkeypatch):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.02)
    backend = Failing(tmp_path)
    with Lease(backend, RUN) as lease:
        assert lease.trouble is None
        backend.error = StoreError("away")
        until(lambda: lease.trouble is backend.error and lease.silent_s > 0.1)
        backend.error = None
        until(lambda: lease.trouble is None)
        assert lease.silent_s < 0.1
        assert lease.is_good()


def test_an_unforeseen_error_ends_the_beating_and_stays_told(tmp_path, monkeypatch):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.02)
    backend = Failing(tmp_path)
    with Lease(backend, RUN) as lease:
        backend.error = error = RuntimeError("a bug")
        until(lambda: lease.trouble is error)
        lease._thread.join(timeout=5)
        backend.error = None
        monkeypatch.setattr(lease_module, "STALE_S", 0.1)
        until(lambda: not lease.is_good())
        assert lease.trouble is error
        assert lease.silent_s > 0.1
        assert not lease.was_taken_over


@pytest.mark.parametrize("stray", ["copy-of-00000001.json", "7.json", "000000007.json", "notes.json"])
def test_a_stray_file_beside_the_claims_does_not_count(backend, stray):
    backend.create(f"runs/{RUN}/lease/{stray}", b"{}")
    with Lease(backend, RUN, watch_s=60) as lease:
        assert (lease.epoch, lease.latest()) == (1, 1)
        lease._beat()
        assert lease.is_good()


BEAT = {"count": 1, "token": "t", "released": False}
DAMAGED = [b"", b"{", b"[]", b"null", b"{}", b"\xff", b"[" * 100_000]


@pytest.mark.parametrize("damaged", [*DAMAGED, b'{"released": "no"}'])
def test_a_damaged_beat_is_none_that_was_released(tmp_path, damaged):
    backend = FolderBackend(tmp_path)
    backend.create(f"runs/{RUN}/lease/00000001.json", json.dumps({"owner": STRANGER}).encode())
    backend.create(f"runs/{RUN}/lease/00000001.beat", damaged)
    said = []
    with Lease(backend, RUN, notice=said.append, watch_s=0.1) as mine:
        assert mine.epoch == 2
    assert "process 1 on elsewhere" in said[0]


STRANGER = {"host": "elsewhere", "boot": "b", "pid": "1", "started": "1"}
ODD = [
    *({**STRANGER, "pid": pid} for pid in ("0", "-1", "x", "9" * 30, 7, None)),
    {**STRANGER, "host": "\ud800"},
    {**STRANGER, "host": "a\nb"},
    {**STRANGER, "boot": []},
    {},
    "me",
]


@pytest.mark.parametrize("claim", [*DAMAGED, *(json.dumps({"owner": owner}).encode() for owner in ODD)])
def test_a_damaged_claim_has_an_unknown_owner_who_is_watched(tmp_path, claim):
    backend = FolderBackend(tmp_path)
    backend.create(f"runs/{RUN}/lease/00000001.json", claim)
    said = []
    with Lease(backend, RUN, notice=said.append, watch_s=0.1) as mine:
        assert mine.epoch == 2
    assert "an unknown process" in said[0]


def test_an_unknown_owner_whose_beat_moves_is_at_work(tmp_path, monkeypatch):
    backend = FolderBackend(tmp_path)
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    with Lease(backend, RUN):
        backend.replace(f"runs/{RUN}/lease/00000001.json", b"{")
        with pytest.raises(LeaseHeld, match="by an unknown process"), Lease(backend, RUN, watch_s=5):
            pass


@pytest.mark.parametrize("namespace", ["pid:[1]", None])
def test_a_process_of_another_or_unknown_pid_namespace_is_watched(tmp_path, namespace):
    """A container may have this host's name and boot; its processes cannot be seen from here. Older records do not tell."""
    owner = {**Owner.this_process().record(), "pid": str(ended_pid()), "pid_namespace": namespace}
    if namespace is None:
        del owner["pid_namespace"]
    backend = FolderBackend(tmp_path)
    backend.create(f"runs/{RUN}/lease/00000001.json", json.dumps({"owner": owner}).encode())
    backend.create(f"runs/{RUN}/lease/00000001.beat", json.dumps(BEAT).encode())
    said = []
    with Lease(backend, RUN, notice=said.append, watch_s=0.1) as mine:
        assert mine.epoch == 2
    assert f"process {owner['pid']} on {owner['host']}" in said[0]


def ended_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid
