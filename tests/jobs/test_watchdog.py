"""A call that never returns ends its process, also one that never lets go of the interpreter; each in a process of its own."""

import subprocess
import sys

import pytest

from jobs.watchdog import EXIT_CODE, Watchdog

SLEEP = "import time; time.sleep(60)"
SPIN = "import re; re.match(r'(a|aa)+$', 'a' * 200 + 'b')"


def watched(body, before="lambda: print('last words', flush=True)"):
    script = (
        f"from jobs import watchdog\nwatchdog.GRACE_S = 1\nwith watchdog.Watchdog(0.5).watching({before}):\n    {body}\nprint('returned')"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)


def test_a_call_that_sleeps_for_ever_ends_the_process_with_a_traceback():
    done = watched(SLEEP)
    assert done.returncode == EXIT_CODE
    assert done.stdout == "last words\n"
    assert "time.sleep" in done.stderr or "<string>" in done.stderr


@pytest.mark.parametrize("before", ["lambda: None", "lambda: __import__('time').sleep(60)"])
def test_a_call_that_holds_the_interpreter_ends_the_process_too(before):
    assert watched(SPIN, before).returncode == EXIT_CODE


def test_last_words_that_hang_do_not_save_the_process():
    assert watched(SLEEP, "lambda: __import__('time').sleep(60)").returncode == EXIT_CODE


def test_a_call_that_returns_in_time_is_left_alone():
    done = watched("pass")
    assert (done.returncode, done.stdout) == (0, "returned\n")
    with Watchdog(0.2).watching():
        pass


def test_a_call_that_is_stuck_beside_one_that_returned_ends_the_process():
    both = "import threading\n    with dog.watching():\n        pass\n    " + SPIN
    script = f"from jobs import watchdog\nwatchdog.GRACE_S = 1\ndog = watchdog.Watchdog(0.5)\nwith dog.watching():\n    {both}"
    assert subprocess.run([sys.executable, "-c", script], timeout=30, check=False).returncode == EXIT_CODE


@pytest.mark.parametrize(("progress", "code"), [("lambda: next(done)", 0), ("lambda: 7", EXIT_CODE)])
def test_a_long_call_lives_as_long_as_it_gets_on(progress, code):
    script = (
        "import itertools, time\nfrom jobs import watchdog\ndone = itertools.count()\n"
        f"with watchdog.Watchdog(0.4).watching(progress={progress}):\n    time.sleep(1.5)\nprint('returned')"
    )
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert finished.returncode == code
    assert ("returned" in finished.stdout) is (code == 0)
