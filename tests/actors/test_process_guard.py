"""Real processes, left behind in both ways."""

import subprocess
import sys

import pytest

from actors.process_guard import ProcessGuard

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
LEFT_BEHIND = """
import os, subprocess, sys
from actors.process_guard import ProcessGuard
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
guard = ProcessGuard([child.pid])
print(child.pid, flush=True)
os._exit(1)
"""


@pytest.fixture
def sleeper():
    process = subprocess.Popen(SLEEP)
    yield process
    process.kill()
    process.wait()


def test_what_is_guarded_ends_with_the_process_that_started_it():
    psutil = pytest.importorskip("psutil")
    owner = subprocess.Popen([sys.executable, "-c", LEFT_BEHIND], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    child = psutil.Process(int(owner.stdout.readline()))
    owner.wait()
    owner.stdout.close()
    _, alive = psutil.wait_procs([child], timeout=10)
    assert not alive


def test_what_is_guarded_lives_as_long_as_it_is_wanted(sleeper):
    guard = ProcessGuard([sleeper.pid])
    with pytest.raises(subprocess.TimeoutExpired):
        sleeper.wait(0.5)
    guard.end()
    assert sleeper.wait(10) == -9


def test_what_has_ended_by_itself_is_no_trouble(sleeper):
    guard = ProcessGuard([sleeper.pid])
    sleeper.kill()
    sleeper.wait()
    guard.end()
