"""One driver at a time (STORAGE, rule 5)."""

import json
import os
import subprocess
import sys

import pytest

from engine.errors import LeaseHeld
from engine.store import lease as lease_module
from engine.store.lease import Lease

RUN = "0123456789abcdef"


def owner_of(backend, epoch):
    return json.loads(backend.read(f"runs/{RUN}/lease/{epoch:08d}.json"))["owner"]


def test_a_second_driver_is_refused_with_the_owners_name(backend, monkeypatch):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    said = []
    with Lease(backend, RUN), pytest.raises(LeaseHeld, match=f"process {os.getpid()}"), Lease(backend, RUN, notice=said.append, watch_s=5):
        pass
    assert "watching its beat" in said[0]


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
