"""What takes long is not silent, also where nothing can tell how far it is."""

import threading

from jobs import console
from jobs.console import Console


def test_a_long_wait_is_told_once_on_stderr(capsys, monkeypatch):
    monkeypatch.setattr(console, "SILENT_S", 0.05)
    with Console(as_json=True).patience("reading 9,000 results..."):
        timer = next(thread for thread in threading.enumerate() if isinstance(thread, threading.Timer))
        timer.join(10)
    assert tuple(capsys.readouterr()) == ("", "reading 9,000 results...\n")


def test_a_short_one_says_nothing_and_leaves_no_thread(capsys):
    before = set(threading.enumerate())
    with Console().patience("reading 9,000 results..."):
        (timer,) = set(threading.enumerate()) - before
    timer.join(10)
    assert not timer.is_alive()
    assert tuple(capsys.readouterr()) == ("", "")


def test_progress_is_told_also_where_nothing_is_new(capsys, monkeypatch):
    monkeypatch.setattr(console, "PLAIN_EVERY_S", 0.05)
    with Console().progress("evaluating", "people") as bar:
        bar.set(0, 6)
        (repeating,) = (thread for thread in threading.enumerate() if thread.name == "progress")
        repeating.join(0.4)
    repeating.join(10)
    assert not repeating.is_alive()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("evaluating: 0/6 people, ") and line.endswith(" s so far") for line in lines)


def test_a_short_task_is_silent(capsys):
    with Console().progress("reading people", "people") as bar:
        bar.set(3, 6)
    assert capsys.readouterr().err == ""
