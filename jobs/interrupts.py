"""Ctrl-C and a polite end (SIGTERM, as before a spot node goes) are one thing: stop, keep what is finished, say how to go on."""

from __future__ import annotations

import signal
import threading


def listen() -> None:
    """Let both signals raise KeyboardInterrupt in the main thread.

    Called again once Ray is up, since its core installs a handler of its own that prints a dump. Explicit for SIGINT too: a shell's
    background jobs inherit it ignored.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
