"""`mien doctor`: each finding with its remedy, exit code 1 if one failed; stores that break their promise do not pass."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest

from engine.errors import ConfigError, StoreError
from engine.store.folder import FolderBackend
from engine.store.opening import open_backend
from jobs.cli import exit_code
from jobs.commands.doctor import summary
from jobs.doctor import machine, packages, store, working_dir
from jobs.doctor.cluster import Node, check_cluster, compare
from jobs.doctor.models import check_models
from jobs.doctor.node import look

ROOT = Path(__file__).parents[2]
Usage = namedtuple("Usage", "total used free")


def doctor(capsys, *arguments):
    """(exit code, findings by check, the last event) of `mien doctor --json`."""
    code = exit_code(["doctor", *map(str, arguments), "--json"])
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, {event["check"]: event for event in events if event["event"] == "check"}, events[-1]


@pytest.fixture(autouse=True)
def _no_cluster(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.chdir(tmp_path)


def test_a_folder_store_passes_every_check_and_holds_nothing_afterwards(tmp_path, capsys):
    code, found, done = doctor(capsys, "--store", tmp_path / "store")
    assert code == 0
    assert {"packages", "store", "store race", "clock", "models", "working dir", "cluster"} <= set(found)
    assert {found[check]["status"] for check in ("packages", "store", "store race", "clock", "models", "cluster")} == {"ok"}
    assert "no cluster asked for" in found["cluster"]["says"]
    assert (done["event"], done["fail"], done["exit_code"]) == ("done", 0, 0)
    assert not (tmp_path / "store").exists()


def test_no_folder_is_left_where_there_was_none_and_none_is_taken_where_there_was(tmp_path, capsys):
    (tmp_path / "here").mkdir()
    for folder, left in (("here/new/store", []), ("here", [".tmp"])):
        assert doctor(capsys, "--store", tmp_path / folder)[0] == 0
        assert [path.name for path in (tmp_path / "here").rglob("*")] == left


def test_a_folder_that_came_into_use_meanwhile_is_left(tmp_path):
    backend = FolderBackend(tmp_path / "new" / "store")
    with store.left_as_found(backend):
        backend.create("a/b", b"1")
    assert backend.read("a/b") == b"1"


@pytest.mark.parametrize(
    ("uri", "says"), [("foo://bar", "unknown scheme"), ("", "empty"), ("s3://", "cannot be an S3 bucket"), ("s3:/mien/lab", "did you mean")]
)
def test_a_store_that_is_none_is_one_failed_finding_among_all_others(capsys, uri, says):
    code, found, done = doctor(capsys, "--store", uri)
    assert (code, done["event"], done["exit_code"], done["fail"]) == (1, "done", 1, 1)
    assert found["store"]["status"] == "fail"
    assert says in found["store"]["says"]
    assert {"packages", "disk of Ray", "open files", "shared memory", "models", "working dir"} <= set(found)
    assert not {"store race", "clock", "disk of the store"} & set(found)


def test_a_store_that_cannot_be_made_says_so_and_its_disk_is_not_judged(capsys):
    code, found, _ = doctor(capsys, "--store", "/proc/nope")
    assert code == 1
    assert "choose another --store" in found["store"]["remedy"]
    assert "disk of the store" not in found


def test_an_s3_store_passes_too_and_the_folders_disk_is_not_asked_for(s3_server, capsys):
    uri = s3_server.uri(prefix="doctor")
    code, found, _ = doctor(capsys, "--store", uri)
    assert code == 0
    assert {found[check]["status"] for check in ("store", "clock")} == {"ok"}
    assert found["store race"]["status"] in ("ok", "warn")  # SeaweedFS lets contenders wait
    assert "differ by" in found["clock"]["says"]
    assert "not on this machine" in found["disk of the store"]["says"]
    backend = open_backend(uri)
    assert backend.list("") == []
    backend.close()


def test_a_store_that_cannot_be_written_fails_with_its_remedy_and_the_rest_is_still_looked_at(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, found, done = doctor(capsys, "--store", tmp_path / "file" / "store")
    assert (code, done["exit_code"]) == (1, 1)
    assert found["store"]["status"] == "fail"
    assert "choose another --store" in found["store"]["remedy"]
    assert "store race" not in found
    assert found["models"]["status"] == "ok"


def test_people_read_the_same_as_programs(tmp_path, capsys):
    assert exit_code(["doctor", "--store", str(tmp_path / "store")]) == 0
    out = capsys.readouterr().out
    assert "ok    store race" in out
    assert "0 failed" in out


def test_one_warning_is_not_many():
    assert summary({"ok": 2, "warn": 1, "fail": 0}) == "2 ok, 1 warning, 0 failed"
    assert summary({"ok": 2, "warn": 0, "fail": 1}) == "2 ok, 0 warnings, 1 failed"


class Overwriting(FolderBackend):
    """A store that accepts the condition and ignores it."""

    def create(self, name, data):
        self.replace(name, data)
        return True


class ChecksFirst(FolderBackend):
    """A store that looks, waits, and then writes: safe alone, not under contention."""

    def create(self, name, data):
        if name in self.list(""):
            return False
        time.sleep(0.05)
        self.replace(name, data)
        return True


class LosesTheWinner(FolderBackend):
    """A store that tells one contender that it won, and holds another's content."""

    def read(self, name):
        return super().read(name) + b" and more"


class Refusing(FolderBackend):
    def create(self, name, data):
        raise StoreError("It does not answer.", remedy="Start it.")


def test_a_store_that_overwrites_fails_the_probe_and_the_race(tmp_path):
    backend = Overwriting(tmp_path)
    for finding in (store.check_probe(backend), store.check_race(backend, 2)):
        assert finding.status == "fail"
        assert "create-if-absent" in finding.remedy


def test_a_store_that_is_only_safe_alone_passes_the_probe_and_fails_the_race(tmp_path):
    backend = ChecksFirst(tmp_path)
    assert store.check_probe(backend).status == "ok"
    finding = store.check_race(backend, 2)
    assert finding.status == "fail"
    assert "of 8 contenders were told that they won" in finding.says
    assert backend.list("") == []


def test_a_slow_store_is_raced_in_few_rounds(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "LONGEST_S", 0.0)
    finding = store.check_race(FolderBackend(tmp_path))
    assert (finding.status, finding.says.split(" of ")[0]) == ("ok", "3 rounds")


def test_a_race_in_slow_motion_warns_of_conditional_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SLOW_MS", 0.0)
    finding = store.check_race(FolderBackend(tmp_path), 1)
    assert finding.status == "warn"
    assert "one winner each" in finding.says
    assert "conditional writes are slow" in finding.remedy


def test_a_winner_whose_content_does_not_stand_fails_the_race(tmp_path):
    assert "not what stands" in store.check_race(LosesTheWinner(tmp_path), 1).says


def test_a_store_that_fails_in_the_race_is_told_with_its_own_remedy(tmp_path):
    finding = store.check_race(Refusing(tmp_path), 1)
    assert (finding.status, finding.says, finding.remedy) == ("fail", "It does not answer.", "Start it.")


@pytest.mark.parametrize(("ahead_s", "status", "says"), [(0, "ok", "differ by 0.0 s"), (60, "warn", "ahead"), (-60, "warn", "behind")])
def test_a_clock_that_differs_warns_and_says_that_leases_do_not_mind(tmp_path, monkeypatch, ahead_s, status, says):
    now = time.time
    monkeypatch.setattr(store.time, "time", lambda: now() + ahead_s)
    finding = store.check_clock(FolderBackend(tmp_path))
    assert finding.status == status
    assert says in finding.says
    assert status == "ok" or "compare no clocks" in finding.remedy


@pytest.mark.parametrize(("free", "status"), [(0.5, "ok"), (0.08, "warn"), (0.02, "fail")])
def test_a_full_disk_under_ray_is_told_before_ray_refuses(tmp_path, monkeypatch, free, status):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(100 * 2**30, 0, int(free * 100 * 2**30)))
    assert machine.check_ray_disk(tmp_path / "not" / "there").status == status


def test_little_room_for_the_store_open_files_and_shared_memory_warns(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, 2**26))
    monkeypatch.setattr(machine.resource, "getrlimit", lambda _: (256, 1024))
    for finding in (machine.check_store_disk(FolderBackend(tmp_path)), machine.check_shared_memory(tmp_path), machine.check_open_files()):
        assert finding.status == "warn"
        assert finding.remedy
    assert machine.check_shared_memory(tmp_path / "shm").status == "warn"


def test_a_model_that_is_missing_fails_with_the_way_to_get_one(tmp_path):
    file = tmp_path / "experiment.yaml"
    file.write_text("encoder: minilm-l6\n")
    _, finding = check_models(file)
    assert finding.status == "fail"
    assert "Did you mean 'minilm-l6-v2'?" in finding.remedy
    file.write_text("encoder: tiny-trigrams\n")
    name, finding = check_models(file)
    assert (name, finding.status) == ("tiny-trigrams", "ok")
    assert "tiny-trigrams@" in finding.says


def test_a_bad_experiment_file_is_a_usage_error(tmp_path, capsys):
    file = tmp_path / "experiment.yaml"
    file.write_text("encodr: x\n")
    with pytest.raises(ConfigError):
        check_models(file)
    assert exit_code(["doctor", str(file), "--store", str(tmp_path / "store")]) == 2


def test_packages_that_are_too_old_or_missing_fail(monkeypatch):
    have = {"ray": "2.9.0", "boto3": ""}
    installed = packages.installed
    monkeypatch.setattr(packages, "installed", lambda package: have.get(package, installed(package)))
    says = [finding.says for finding in packages.check_packages() if finding.status == "fail"]
    assert "boto3 is not installed." in says
    assert any("ray 2.9.0 is installed, mien needs ==2.60.*" in said for said in says)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work" / "data").mkdir(parents=True)
    (tmp_path / "work" / "small.txt").write_text("x")
    (tmp_path / "work" / "data" / "large").write_bytes(b"x" * 3000)
    return tmp_path / "work"


def test_a_working_dir_over_rays_limit_warns_with_its_largest_folders(folder, monkeypatch):
    assert working_dir.check_working_dir(folder).status == "ok"
    monkeypatch.setattr(working_dir, "LIMIT_BYTES", 2000)
    finding = working_dir.check_working_dir(folder)
    assert finding.status == "warn"
    assert ": data 0 MiB, small.txt 0 MiB" in finding.says
    monkeypatch.setattr(working_dir, "LIMIT_BYTES", 10**9)
    monkeypatch.setattr(working_dir, "MOST_FILES", 1)
    assert "over" in working_dir.check_working_dir(folder).says


def test_what_git_ignores_is_not_uploaded_and_its_own_folder_is(folder, monkeypatch):
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    (folder / ".gitignore").write_text("data\n")
    (folder / ".git" / "pack").write_bytes(b"x" * 5000)
    monkeypatch.setattr(working_dir, "LIMIT_BYTES", 4000)
    finding = working_dir.check_working_dir(folder)
    assert ": .git " in finding.says
    assert "data" not in finding.says.rpartition(": ")[2]


HERE = {"python": "3.11.7", "mien": "0.1.0", "ray": "2.60.0", "torch": "2.13.0", "pyarrow": "20", "numpy": "2", "boto3": "1.40"}
TOLD = {**HERE, "host": "node-a", "encoder": "tiny-trigrams@0.1", "model": "", "store": ""}


@pytest.mark.parametrize(
    ("node", "statuses", "says"),
    [
        (Node("10.0.0.2", TOLD), ["ok"], "the store in reach"),
        (Node("10.0.0.2", {**TOLD, "mien": "0.2.0"}), ["fail"], "mien 0.2.0, here 0.1.0"),
        (Node("10.0.0.2", {**TOLD, "torch": ""}), ["warn"], "torch not installed, here 2.13.0"),
        (Node("10.0.0.2", {**TOLD, "encoder": "other@1.1"}), ["fail"], "encoder other@1.1"),
        (Node("10.0.0.2", {**TOLD, "encoder": "", "model": "It is not installed."}), ["fail"], "lacks the encoder: It is not installed."),
        (Node("10.0.0.2", {**TOLD, "store": "No such bucket."}), ["fail"], "cannot read the store: No such bucket."),
        (Node("10.0.0.2", TOLD, ahead_s=-9.0, within_s=0.5), ["warn"], "differs from this machine's by 9.0 s"),
        (Node("10.0.0.2", TOLD, ahead_s=9.0, within_s=5.0), ["ok"], "the same versions"),
        (Node("10.0.0.2", {}, silent="it died"), ["fail"], "10.0.0.2 does not answer: it died"),
    ],
)
def test_a_node_that_differs_is_named_with_what_differs(node, statuses, says):
    alive, *found = compare({**TOLD, "host": "here"}, [node])
    assert alive.status == "ok"
    assert [finding.status for finding in found] == statuses
    assert says in found[0].says
    assert bool(found[0].remedy) == (statuses != ["ok"])


def test_a_cluster_without_nodes_fails():
    assert [finding.status for finding in compare(TOLD, [])] == ["fail"]


def test_a_node_tells_what_it_cannot_reach(tmp_path):
    backend = FolderBackend(tmp_path)
    backend.create("probe-" + "0" * 32, b"content")
    fine = look(backend.uri, "probe-" + "0" * 32, b"content", "tiny-trigrams")
    assert (fine["store"], fine["model"]) == ("", "")
    assert fine["encoder"].startswith("tiny-trigrams@")
    lost = look(str(tmp_path / "other"), "probe-" + "0" * 32, b"content", "minilm-l6")
    assert "There is no probe" in lost["store"]
    assert "No model is called" in lost["model"]
    assert "something else" in look(backend.uri, "probe-" + "0" * 32, b"other", "tiny-trigrams")["store"]


TWO_NODES = """
import sys
from ray.cluster_utils import Cluster
from jobs.cli import exit_code

few = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
cluster = Cluster(initialize_head=True, head_node_args={**few, "include_dashboard": False})
cluster.add_node(**few)
code = exit_code(["doctor", "experiment.yaml", "--store", "store", "--address", cluster.address, "--json"])
cluster.shutdown()
sys.exit(code)
"""


@pytest.mark.slow
def test_each_node_of_a_real_cluster_is_asked(tmp_path):
    (tmp_path / "experiment.yaml").write_text("encoder: tiny-trigrams\n")
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_prestart_worker_first_driver": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TWO_NODES]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"event": "check"')]
    assert [event["says"] for event in events if event["check"] == "cluster"] == ["2 nodes are alive."]
    nodes = [event for event in events if event["check"] == "node"]
    assert [node["status"] for node in nodes] == ["ok", "ok"]
    assert all("the same versions and models, the store in reach" in node["says"] for node in nodes)
    assert FolderBackend(tmp_path / "store").list("") == []


def test_a_cluster_that_is_not_there_fails_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    finding = check_cluster("127.0.0.1:1", FolderBackend(tmp_path), "tiny-trigrams")[0]
    assert finding.status == "fail"
    assert "cannot be joined" in finding.says
    assert "ray status" in finding.remedy
    assert "doctor" not in finding.remedy
