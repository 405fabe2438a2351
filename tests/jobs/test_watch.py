"""`mien watch` and `mien status`: what the store holds, listed rarely, and between listings what the journal tells."""

import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from engine.keys import canonical
from engine.store.journal import Journal
from engine.store.lease import Lease
from engine.store.opening import open_backend
from jobs import standing
from jobs.cli import exit_code
from jobs.commands import look
from jobs.standing import Follower
from tests.jobs.planned import NAME, planned
from tests.jobs.running import ROOT

PEOPLE, SHARD_SIZE = 8, 2


@pytest.fixture
def run(tmp_path):
    return planned(tmp_path / "store", people=PEOPLE, shard_size=SHARD_SIZE)


@pytest.fixture
def backend(run):
    return open_backend(str(run.store))


def drive(run, backend, epoch=1, **facts):
    """The journal of a driver that has begun a pass over all shards."""
    journal = Journal(backend, run.plan.run, epoch)
    journal.add("driver", host="here", pid=1, command="mien run", **facts)
    journal.add("pass", number=1, shards=len(run.plan.shards), retry=False)
    return journal


def tell(journal, *shards, again="", **facts):
    for shard in shards:
        journal.add("shard", shard=shard, people=SHARD_SIZE, stages=[], seconds=1.0, again=again, **facts)
    journal.flush()


def claim(run, backend, *, host="elsewhere"):
    """A lease of a process that nobody here can look at."""
    owner = {"host": host, "boot": "x", "pid": "1", "started": "1"}
    backend.create(f"runs/{run.plan.run}/lease/00000001.json", canonical({"owner": owner, "token": "t"}))


def beat(run, backend, count):
    backend.replace(f"runs/{run.plan.run}/lease/00000001.beat", canonical({"count": count, "token": "t", "released": False}))


class Counted:
    """A backend that tells which prefixes were listed."""

    def __init__(self, backend):
        self._backend, self.listed = backend, []

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def list(self, prefix):
        self.listed.append(prefix)
        return self._backend.list(prefix)


def test_between_two_listings_of_the_store_shards_are_counted_from_the_journal(run, backend):
    run.fill(0)
    opened = run.open()
    counted = Counted(opened.backend)
    with Lease(backend, run.plan.run):
        journal = drive(run, backend)
        follower = Follower(replace(opened, backend=counted))
        first = follower.full()
        assert (first.people_done, first.people, first.results, first.planned) == (2, 8, first.planned // 4, first.planned)
        counted.listed.clear()
        tell(journal, 1)
        tell(journal, 2, again="a file was set aside")
        tell(journal, 1, 0)
        now = follower.look()
        assert (now.people_done, now.results, now.finished) == (4, now.planned // 2, False)
        assert counted.listed == [f"runs/{run.plan.run}/journal/"]
        tell(journal, 2, 3)
        assert follower.look().finished


def test_what_is_said_last_is_what_the_store_holds(run, backend):
    with Lease(backend, run.plan.run):
        journal = drive(run, backend)
        follower = Follower(run.open())
        follower.full()
        run.fill(0, 1)
        tell(journal, 0, 1, 2)
        assert follower.look().people_done == 6
    last = follower.full()
    assert (last.people_done, last.at_work, last.finished) == (4, False, False)


def test_pace_is_that_of_the_session_at_work(run, backend):
    with Lease(backend, run.plan.run):
        run.fill(0)
        old = drive(run, backend, epoch=1)
        tell(old, 0, 1)
        journal = drive(run, backend, epoch=2)
        follower = Follower(run.open())
        assert follower.full().pace == 0, "the session at work has no shard yet"
        assert follower.full().tempo(NAME) == "starting"
        tell(journal, 1)
        time.sleep(0.05)
        tell(journal, 2)
        now = follower.look()
        assert 0 < now.pace <= SHARD_SIZE / 0.048, "the journal keeps milliseconds: two of them may be rounding"
        assert f"{now.pace:.1f} people/s" in now.tempo(NAME)


def test_drivers_that_were_cut_short_retries_and_lost_workers_are_told(run, backend, capsys):
    first = drive(run, backend, epoch=1)
    tell(first, 0, attempt=1, node="a", pid=7)
    tell(first, 1, 2, attempt=2, node="b", pid=7)
    second = Journal(backend, run.plan.run, 2)
    second.add("driver", host="here", pid=2, command="mien retry")
    second.add("pass", number=1, shards=2, retry=True)
    tell(second, 1, attempt=3, node="a", pid=8)
    second.add("end", seconds=2.0)
    second.flush()
    drive(run, backend, epoch=3).flush()
    assert exit_code(["status", NAME, "--store", str(run.store), "--json"]) == 6
    out, err = capsys.readouterr()
    event = json.loads(out)
    assert {key: event[key] for key in ("sessions", "interrupted", "retried_passes", "begun_again")} == {
        "sessions": 3,
        "interrupted": 2,
        "retried_passes": 1,
        "begun_again": 2,
    }
    assert "3 sessions, 2 cut short, 1 retried pass" in err
    assert "begun again after an interruption: 2" in err
    assert "no driver is at work" in err


def test_journals_without_attempts_say_nothing_of_work_begun_again(run, backend, capsys):
    tell(drive(run, backend), 0)
    assert exit_code(["status", NAME, "--store", str(run.store)]) == 6
    assert "begun again" not in capsys.readouterr().out


def test_a_retry_is_told_as_such_though_every_result_is_there(run, backend):
    run.fill(0, 1, 2, 3)
    with Lease(backend, run.plan.run):
        journal = Journal(backend, run.plan.run, 1)
        journal.add("driver", host="here", pid=1, command="mien retry")
        journal.add("pass", number=1, shards=2, retry=True)
        tell(journal, 0)
        now = Follower(run.open()).full()
        assert now.at_work
        assert now.tempo(NAME) == "trying failed rows again: 1 of 2 shards"


def test_a_driver_elsewhere_is_gone_once_its_beat_stops(run, backend, monkeypatch):
    monkeypatch.setattr(standing, "BEAT_S", 0.0)
    monkeypatch.setattr(standing, "WATCH_S", 0.2)
    claim(run, backend)
    drive(run, backend).flush()
    follower = Follower(run.open())
    assert follower.full().at_work
    for count in range(3):
        time.sleep(0.15)
        beat(run, backend, count)
        assert follower.look().at_work
    time.sleep(0.25)
    assert not follower.look().at_work
    assert not follower.full().at_work


def test_watch_ends_with_its_driver_and_says_what_the_store_holds(run, backend, capsys, monkeypatch):
    monkeypatch.setattr(standing, "BEAT_S", 0.0)
    looks = []

    def work():
        with lease:
            deadline = time.monotonic() + 10
            while not looks and time.monotonic() < deadline:
                time.sleep(0.01)
            run.fill(0, 1, 2, 3)
            tell(journal, 0, 1, 2, 3)
            journal.add("end", seconds=1.0)
            journal.flush()

    class Watched(Follower):
        def look(self):
            looks.append(1)
            return super().look()

    monkeypatch.setattr(look, "Follower", Watched)
    lease, journal = Lease(backend, run.plan.run), drive(run, backend)
    thread = threading.Thread(target=work)
    thread.start()
    while not backend.list(f"runs/{run.plan.run}/lease/"):
        time.sleep(0.01)
    try:
        assert exit_code(["watch", NAME, "--store", str(run.store), "--every", "0.2", "--json"]) == 0
    finally:
        thread.join()
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0]["at_work"] is True
    assert events[0]["people_done"] == 0
    assert {event["event"] for event in events[1:-1]} == {"progress"}
    assert (events[-1]["finished"], events[-1]["at_work"], events[-1]["people_done"]) == (True, False, PEOPLE)


def test_watch_waits_for_a_run_that_is_not_planned_yet(tmp_path, capsys):
    def begin():
        time.sleep(0.5)
        run = planned(tmp_path / "store", people=2, shard_size=2)
        with Lease(open_backend(str(run.store)), run.plan.run):
            pass

    (tmp_path / "store").mkdir()
    thread = threading.Thread(target=begin)
    thread.start()
    try:
        assert exit_code(["watch", NAME, "--store", str(tmp_path / "store"), "--every", "0.2"]) == 6
    finally:
        thread.join()
    out = capsys.readouterr().out
    assert "has not begun" in out
    assert "people    0 of 2" in out


def test_watch_waits_only_so_long(run, capsys, monkeypatch):
    monkeypatch.setattr(look, "AWAIT_S", 0.3)
    assert exit_code(["watch", "nothing", "--store", str(run.store), "--every", "0.2"]) == 2
    out, err = capsys.readouterr()
    assert f"(known are {NAME})" in out
    assert "no run 'nothing'" in err


def test_a_misspelt_name_is_waited_for_with_a_guess_at_what_was_meant(run, capsys, monkeypatch):
    monkeypatch.setattr(look, "AWAIT_S", 0.3)
    assert exit_code(["watch", "smal", "--store", str(run.store), "--every", "0.2"]) == 2
    assert f"(did you mean '{NAME}'?)" in capsys.readouterr().out


def test_a_store_that_is_not_there_is_not_waited_for(tmp_path, capsys):
    before = time.monotonic()
    assert exit_code(["watch", NAME, "--store", str(tmp_path / "nowhere")]) == 2
    assert time.monotonic() - before < look.AWAIT_S / 2
    assert "no store at" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_a_finished_run_whose_driver_died_before_its_report_is_told_how_to_get_one(run, capsys):
    run.fill(0, 1, 2, 3)
    assert exit_code(["status", NAME, "--store", str(run.store)]) == 0
    assert f"or: mien report {NAME} --store {run.store}" in capsys.readouterr().out
    assert exit_code(["report", NAME, "--store", str(run.store)]) == 0
    capsys.readouterr()
    assert exit_code(["status", NAME, "--store", str(run.store)]) == 0
    out = capsys.readouterr().out
    assert "No report" not in out
    assert f"mien errors {NAME} --group --store {run.store}" in out


def test_a_name_that_no_run_can_have_is_not_waited_for(run, capsys):
    assert exit_code(["watch", "No Name", "--store", str(run.store)]) == 2
    assert "has not begun" not in capsys.readouterr().out


def test_ctrl_c_ends_a_watch_with_130_and_leaves_the_run_alone(run, backend):
    with Lease(backend, run.plan.run):
        drive(run, backend).flush()
        command = [sys.executable, "-m", "jobs.cli", "watch", NAME, "--store", str(run.store), "--every", "0.2", "--json"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["at_work"] is True
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "The run itself is not touched."
    assert "same command" not in err
