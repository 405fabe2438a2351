"""Only what can be seen from here proves that a process is dead (STORAGE, rule 5)."""

import json
import multiprocessing
import os
import signal
import subprocess
from dataclasses import replace

import pytest

from engine.store.lease_owner import Owner, _state_and_start

ME = Owner.this_process()


@pytest.fixture
def sleeper():
    """A process, and the owner that it would be."""
    process = subprocess.Popen(["sleep", "60"])
    yield process, replace(ME, pid=process.pid, started=_state_and_start(process.pid)[1])
    process.kill()
    process.wait()


def test_an_owner_is_read_back_as_it_was_written():
    assert Owner.of_record(json.loads(json.dumps(ME.record()))) == ME
    assert ME.pid_namespace == os.readlink("/proc/self/ns/pid")


def test_a_record_without_a_pid_namespace_still_reads():
    record = {key: value for key, value in ME.record().items() if key != "pid_namespace"}
    assert Owner.of_record(record) == replace(ME, pid_namespace=None)


def test_a_process_is_dead_once_it_ended_even_if_nobody_waited_for_it(sleeper):
    process, owner = sleeper
    assert not owner.is_known_dead()
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert _state_and_start(process.pid)[0] == "Z"
    assert owner.is_known_dead()
    process.wait()
    assert owner.is_known_dead()


def test_a_pid_that_another_process_has_now_is_dead(sleeper):
    _, owner = sleeper
    assert replace(owner, started="1").is_known_dead()
    assert not replace(owner, started="").is_known_dead()


@pytest.mark.parametrize(
    "elsewhere", [{"host": "elsewhere"}, {"boot": "another"}, {"boot": ""}, {"pid_namespace": "pid:[1]"}, {"pid_namespace": None}]
)
def test_what_cannot_be_seen_from_here_is_not_known_to_be_dead(elsewhere):
    dead = replace(ME, started="1")
    assert dead.is_known_dead()
    assert not replace(dead, **elsewhere).is_known_dead()


def _ask_as_nobody(pipe):
    if os.geteuid() == 0:
        os.setuid(65534)
    with pytest.raises(PermissionError):
        os.kill(1, 0)
    pipe.send(replace(ME, pid=1, started="1").is_known_dead())
    pipe.close()


def test_a_process_of_another_user_is_not_known_to_be_dead():
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_ask_as_nobody, args=(theirs,))
    process.start()
    assert ours.poll(30)
    assert ours.recv() is False
    process.join()
    ours.close()
    theirs.close()
