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
