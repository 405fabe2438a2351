"""`mien gc` on folder stores: what is named or young stays, a beating driver refuses, and a dry run changes nothing."""

import json
import os
import threading
import time
from pathlib import Path

import pytest

from engine.errors import CorruptObject, LeaseHeld, UsageError
from engine.keys import content_key
from engine.store import lease as lease_module
from engine.store.folder import FolderBackend
from engine.store.lease import Lease
from engine.store.names import result, stage
from engine.store.opening import open_backend
from engine.store.plans import Plan, Shard, Subject, run_id, save_plan
from jobs.cli import exit_code
from jobs.commands import gc
from jobs.commands.gc import gc_command

DAY_S = 86_400
STAGE, OTHER = "score-" + "a" * 16, "score-" + "b" * 16


def a_plan(*people, stages=(STAGE,)):
    identity = {"stages": {stage_id: stage_id for stage_id in stages}, "people": list(people)}
    pool = Shard.of([Subject(content_key("query"), "query", "q")])
    shard = Shard.of([Subject(content_key(person), person, person) for person in people])
    return Plan(run_id(identity), identity, pool, (shard,), False, len(people))


@pytest.fixture
def store(tmp_path):
    """A store with one plan, one result of it, and one old result with its recipe that no plan names."""
    backend = FolderBackend(tmp_path / "store")
    save_plan(backend, PLAN)
    for name in (MINE, stage(STAGE), THEIRS, stage(OTHER)):
        backend.create(name, b"x" * 1000)
        make_old(backend, name)
    return backend


PLAN = a_plan("ann")
MINE, THEIRS = (result(each, PLAN.shards[0].key) for each in (STAGE, OTHER))


def make_old(backend, name, days=8):
    then = time.time() - days * DAY_S
    os.utime(backend.root / name, (then, then))


def collect(backend, *, delete=True, days=7, watch_s=0.2):
    return gc_command(store=backend.uri, delete=delete, older_than_days=days, as_json=False, watch_s=watch_s)


def everything(backend):
    return {path: path.stat().st_mtime_ns for path in Path(backend.uri).rglob("*") if path.is_file()}


def test_only_what_no_plan_names_and_is_old_goes(store):
    young = result(OTHER, "c" * 64)
    store.create(young, b"young")
    assert collect(store) == 0
    assert set(store.list("")) == {MINE, stage(STAGE), stage(OTHER), young, f"runs/{PLAN.run}/plan.json"}
    make_old(store, young)
    assert collect(store) == 0
    assert set(store.list("")) == {MINE, stage(STAGE), f"runs/{PLAN.run}/plan.json"}


def test_a_dry_run_tells_and_changes_nothing(store, capsys):
    before = everything(store)
    assert collect(store, delete=False) == 0
    assert everything(store) == before
    out = capsys.readouterr().out
    assert "Dry run: 2 files" in out
    assert "--delete" in out


def test_a_file_must_be_as_old_as_asked(store):
    make_old(store, THEIRS, days=20)
    before = everything(store)
    assert collect(store, days=21) == 0
    assert everything(store) == before


@pytest.mark.parametrize("delete", [True, False])
def test_a_beating_driver_refuses_and_nothing_is_deleted(store, monkeypatch, delete):
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    with Lease(store, PLAN.run):
        before = set(store.list(""))
        with pytest.raises(LeaseHeld, match="beat moves"):
            collect(store, delete=delete, watch_s=0.5)
        assert set(store.list("")) == before
    assert collect(store) == 0
    assert THEIRS not in store.list("")


def test_a_silent_stranger_is_watched_with_a_line_and_then_ignored(store, capsys):
    stranger = {"owner": {"host": "elsewhere", "boot": "b", "pid": "1", "started": "1"}, "token": "t"}
    store.create(f"runs/{PLAN.run}/lease/00000001.json", json.dumps(stranger).encode())
    started = time.monotonic()
    assert collect(store, watch_s=0.3) == 0
    assert time.monotonic() - started >= 0.3
    assert "watching its beat" in capsys.readouterr().err
    assert THEIRS not in store.list("")


def test_a_released_lease_is_not_waited_for(store):
    with Lease(store, PLAN.run):
        pass
    started = time.monotonic()
    assert collect(store, watch_s=30) == 0
    assert time.monotonic() - started < 10


def test_a_driver_that_starts_between_two_batches_stops_the_deleting(store, monkeypatch):
    others = [result(OTHER, f"{number:064x}"[::-1]) for number in range(4)]
    for name in others:
        store.create(name, b"x")
        make_old(store, name)
    monkeypatch.setattr(gc, "BATCH", 1)
    stop, deleted = threading.Event(), FolderBackend.delete
    leases = []

    def delete_and_start(self, name):
        deleted(self, name)
        if not stop.is_set():
            stop.set()
            leases.append(Lease(store, PLAN.run))
            leases[0].__enter__()

    monkeypatch.setattr(FolderBackend, "delete", delete_and_start)
    try:
        with pytest.raises(LeaseHeld):
            collect(store)
    finally:
        leases[0].__exit__(None, None, None)
    assert len(set(others) & set(store.list(""))) >= 3


def test_a_run_that_is_planned_while_gc_works_keeps_its_files(store, monkeypatch):
    plan, made = a_plan("bob", stages=(OTHER,)), gc.leftovers
    planned = result(OTHER, plan.shards[0].key)
    store.create(planned, b"x")
    make_old(store, planned)

    def plan_meanwhile(*arguments):
        save_plan(store, plan)
        return made(*arguments)

    monkeypatch.setattr(gc, "leftovers", plan_meanwhile)
    assert collect(store) == 0
    assert planned in store.list("")
    assert THEIRS not in store.list("")


def test_a_plan_that_cannot_be_read_refuses(store):
    store.replace("runs/0123456789abcdef/plan.json", b"{}")
    before = everything(store)
    with pytest.raises(CorruptObject, match="0123456789abcdef cannot be read, so nothing is deleted"):
        collect(store)
    assert everything(store) == before


def test_old_probes_and_temporary_files_go_and_what_is_not_ours_is_told(store, capsys):
    old, young = "probe-" + "0" * 32, "probe-" + "1" * 32
    for name in (old, young, "notes.txt"):
        store.create(name, b"x")
    for name in ("12-ab", "13-cd"):
        (store.root / ".tmp" / name).write_bytes(b"x" * 10)
    for name in (old, "notes.txt", ".tmp/12-ab"):
        make_old(store, name)
    assert collect(store) == 0
    assert old not in store.list("")
    assert {young, "notes.txt"} <= set(store.list(""))
    assert [path.name for path in (store.root / ".tmp").iterdir()] == ["13-cd"]
    out = capsys.readouterr().out
    assert "not ours, left alone: notes.txt" in out


def test_with_json_each_kind_is_an_event(store, capsys):
    assert exit_code(["gc", "--store", store.uri, "--json", "--delete"]) == 0
    out = capsys.readouterr().out
    events = [json.loads(line) for line in out.splitlines()]
    kinds = {event["kind"]: event for event in events if event["event"] == "kind"}
    assert (kinds["results"]["files"], kinds["results"]["going"], kinds["results"]["going_bytes"]) == (2, 1, 1000)
    assert kinds["results"]["oldest_s"] == pytest.approx(8 * DAY_S, abs=60)
    assert events[-1] == {"event": "done", "deleted": 2, "dry_run": False, "files": 2, "bytes": 2000, "exit_code": 0}


def test_on_s3_the_servers_date_decides_and_young_files_stay(s3_server, capsys):
    backend = open_backend(s3_server.uri(prefix="gc"))
    save_plan(backend, PLAN)
    backend.create(THEIRS, b"young")
    assert collect(backend) == 0
    assert THEIRS in backend.list("")
    backend.close()
    assert "Deleted 0 files." in capsys.readouterr().out


def test_a_store_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="no store"):
        gc_command(store=str(tmp_path / "nowhere"), delete=True, older_than_days=7, as_json=False)
    assert exit_code(["gc", "--store", str(tmp_path), "--older-than", "0"]) == 2
