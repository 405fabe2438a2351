"""Ctrl-C and a polite end (SIGTERM, as before a spot node goes) are one thing: stop, keep what is finished, say how to go on."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

STOPPING = "Stopping; what is finished is kept. Ctrl-C again stops at once.\n"


def listen(*, working: bool = False) -> None:
    """Let both signals raise KeyboardInterrupt in the main thread; a driver that is `working` says at once that it heard.

    Called again once Ray is up, since its core installs a handler of its own that prints a dump. Explicit for SIGINT too: a shell's
    background jobs inherit it ignored.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _say_and_stop if working else signal.default_int_handler)


def _say_and_stop(number: int, frame: FrameType | None) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    os.write(2, STOPPING.encode())  # print could be in the middle of a line of its own
    raise KeyboardInterrupt
